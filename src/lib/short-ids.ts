// UUIDs in 22 characters instead of 36, for links and forms.
import { isId } from './ids.ts'

export const shortId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

/** The UUID of a short id, in lower case; null if the text is not one. */
export function idOfShort(text: string): string | null {
  const id = Buffer.from(text, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return isId(id) ? id : null
}
