// Asks before a key is deleted, and says what stops.
import { html } from '@remix-run/html-template'
import { consolePage } from '../shell/console-page.ts'
import { keyName } from '../shell/senders.ts'
import { ADDRESS, keyAddress, lastUse, type ShownKey } from './key-words.ts'

export type DeleteView = {
  teamName: string
  now: Date
  key: ShownKey
  /** No other key of the team has full access. */
  isLastWithFullAccess: boolean
}

export const deletePage = ({ teamName, now, key, isLastWithFullAccess }: DeleteView): string =>
  consolePage({
    title: `Delete ${keyName(key)}`,
    section: ADDRESS,
    teamName,
    main: html`<p><a href="${keyAddress(key)}">← <bdi>${keyName(key)}</bdi></a></p>
<section class="sheet parts"><h1>Delete this key?</h1>
<p><bdi>${keyName(key)}</bdi>, last used: ${lastUse(key, now)}</p>
<ul>
<li>Programs that use it are refused from now on.</li>
<li>Emails that were scheduled with it and are not due yet will fail.</li>
${key.permission === 'full_access' && isLastWithFullAccess ? LAST : ''}
</ul>
<p>This cannot be undone.</p>
<form class="choice" method="post" action="${keyAddress(key)}/delete"><button class="danger">Delete the key</button> <a class="button quiet" href="${keyAddress(key)}">Keep it</a></form>
</section>`,
  })

const LAST = html`<li class="wrong">It is the last key with full access. The access of all programs ends with it. After that, only the command line makes a new one: <code>npm run -s posthaste -- keys create</code></li>`
