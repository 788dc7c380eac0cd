// What senders name their files and types, made safe for those who store them under these names.
import { storableText } from '../../lib/storable-text.ts'

const NAME_LENGTH_MAX = 255

/** The last part of a path, as long as file systems take it, under a name that no system keeps for itself; null if nothing is left. */
export function safeFilename(given: string): string | null {
  const last = given.slice(-PATH_LENGTH_MAX).split(/[/\\]/).at(-1) ?? ''
  const name = storableText(last.replace(UNSAFE, ' ').replace(/ {2,}/g, ' ').trim(), NAME_LENGTH_MAX)
  if (name === '' || /^\.+$/.test(name)) return null
  return DEVICE.test(name) ? `_${name}` : name
}

/** Longer paths are no file of anyone. */
const PATH_LENGTH_MAX = 4_096

/** Control characters, and those that turn the direction of writing, so that a name shows another ending. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Windows takes these for devices, whatever ending they have. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** In lower case; bytes if it is no media type (RFC 6838, section 4.2). */
export const safeContentType = (given: string | false): string =>
  given !== false && MEDIA_TYPE.test(given) ? given.toLowerCase() : 'application/octet-stream'

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i
