import { lookup } from 'mime-types'
import { type Problem, problem } from '../lib/problem.ts'
import { holdsEncodedWord } from './header-text.ts'

/** What is wrong with an attachment's file name, or null. */
export function checkFilename(filename: string): Problem | null {
  if (filename.trim() === '') return problem('may not be empty: give the file a name such as `invoice.pdf`')
  if (filename.length > FILENAME_LENGTH_MAX) return problem(`may not be longer than ${FILENAME_LENGTH_MAX} characters`)
  if (UNSAFE_CHARACTER.test(filename)) {
    return problem('may not hold control characters, line breaks or characters that change the direction of writing')
  }
  if (/[/\\]/.test(filename) || /^\.+$/.test(filename)) return problem('must be the name of a file, without a folder or path')
  if (holdsEncodedWord(filename)) return problem('holds an encoded word (`=?...?=`): write the name as it is to be read, in any script')
  return checkFileType(filename)
}

/** What is wrong with the type that a file name implies, or null. */
export function checkFileType(filename: string): Problem | null {
  const extension = extensionOf(filename)
  if (!BLOCKED_EXTENSIONS.has(extension)) return null
  return problem(`may not end in \`.${extension}\`: mail servers refuse that type; send a link or another format`)
}

/** What is wrong with the `content_type` from a client, or null. RFC 2045, section 5.1. */
export function checkContentType(contentType: string): Problem | null {
  if (contentType.length > CONTENT_TYPE_LENGTH_MAX || !CONTENT_TYPE.test(contentType)) {
    return problem('must be a media type such as `application/pdf` or `text/plain; charset=utf-8`')
  }
  // A multipart holds other parts and may not be encoded in base64 (RFC 2045, section 6.4). Readers would see a broken message.
  return /^multipart\//i.test(contentType) ? problem('may not be a multipart type: an attachment is one file') : null
}

/** What is wrong with the `content_id` by which HTML refers to an inline attachment (`cid:...`), or null. */
export function checkContentId(contentId: string): Problem | null {
  if (contentId.length > CONTENT_ID_LENGTH_MAX) return problem(`must have fewer than ${CONTENT_ID_LENGTH_MAX + 1} characters`)
  if (CONTENT_ID.test(contentId)) return null
  return problem('must be made of visible ASCII characters without `<`, `>` and spaces, such as `logo` or `logo@example.com`')
}

/** The type from the client, or else the one that the name implies, or else `application/octet-stream`. */
export const contentTypeOf = (filename: string | null, given: string | null): string =>
  given ?? (filename === null ? null : lookup(extensionOf(filename)) || null) ?? 'application/octet-stream'

/** File systems take 255. */
const FILENAME_LENGTH_MAX = 255

/** RFC 4288, section 4.2 allows 127 for each half; the rest is for parameters. */
const CONTENT_TYPE_LENGTH_MAX = 255

const CONTENT_ID_LENGTH_MAX = 127

// Direction overrides make `exe.fdp` look like `pdf.exe` and the other way round. The others end a line.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`{|}~-]+"

const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[^"\\\\\\p{Cc}\\P{ASCII}]*"))*$`, 'u')

const CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+$/

/** Windows ignores dots and spaces at the end, so it would run `virus.exe. `. */
function extensionOf(filename: string): string {
  const name = filename.replace(/[. ]{1,255}$/, '')
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
}

const BLOCKED_EXTENSIONS = new Set(
  [
    'adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag mam maq mar',
    'mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif plg prf prg reg scf scr',
    'sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh xnk',
  ].flatMap((line) => line.split(' ')),
)
