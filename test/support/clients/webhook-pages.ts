// What the pages of webhooks say.
import type { Seen } from './console-visitor.ts'

export const noteOf = ({ text }: Seen) => /<p class="note" role="status">([^<]*)/.exec(text)?.[1]
export const problemOf = ({ text }: Seen) => /role="alert"[^>]*>(.*?)<\/p>/.exec(text)?.[1]?.replaceAll(/<\/?code>/g, '`')
export const standingOf = ({ text }: Seen) => /<div id="standing".*?<span class="state (\w+)">([^<]*)/s.exec(text)?.slice(1)
export const eventsOf = ({ text }: Seen) =>
  [...text.matchAll(/<th scope="row"><a href="[^"]*(\/events\/[^"]*)">([^<]*)<\/a>.*?<span class="state \w+">([^<]*)/gs)].map(
    ([, path = '', type, state]) => ({ path, type, state }),
  )
