/** `enhancedCode` is that of RFC 3463, such as `5.1.1`. `text` is one line without codes and control characters. */
export type SmtpReply = { code: number; enhancedCode: string | null; text: string }

export type BounceType = 'Permanent' | 'Transient' | 'Undetermined'

export type BounceSubType =
  | 'General'
  | 'NoEmail'
  | 'MailboxFull'
  | 'MessageTooLarge'
  | 'ContentRejected'
  | 'AttachmentRejected'
  | 'Undetermined'

/** The type says whether the address is the reason. Only a Permanent bounce may put it on the suppression list. */
export type BounceReason = { type: BounceType; subType: BounceSubType }

/** Reads a reply of one or several lines (RFC 5321, section 4.2.1) as the server sent it; null if it does not begin with a code. */
export function parseSmtpReply(raw: string): SmtpReply | null {
  const lines = raw.slice(0, RAW_LENGTH_MAX).split(/\r?\n/)
  const code = Number(/^([2-5]\d\d)(?=[ -]|$)/.exec(lines[0]?.trim() ?? '')?.[1])
  if (Number.isNaN(code)) return null
  const texts = lines.map((line) => line.replace(/\p{Cc}+/gu, ' ').replace(/^ *[2-5]\d\d(?:[ -]|$)/, ''))
  const enhancedCode = ENHANCED_CODE.exec(texts[0]?.trim() ?? '')?.[1] ?? null
  const words = texts.map((text) => text.trim().replace(ENHANCED_CODE, '').trim())
  const text = words.filter((line) => line !== '').join(' ')
  return { code, enhancedCode, text: text.slice(0, TEXT_LENGTH_MAX).toWellFormed() }
}

/** Servers send a few lines. A longer reply is not worth the memory. */
const RAW_LENGTH_MAX = 8192

const TEXT_LENGTH_MAX = 1024

const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?![.\d])/

const PERMANENT: BounceReason = { type: 'Permanent', subType: 'General' }
const TRANSIENT: BounceReason = { type: 'Transient', subType: 'General' }
const MAILBOX_FULL: BounceReason = { type: 'Transient', subType: 'MailboxFull' }
const TOO_LARGE: BounceReason = { type: 'Transient', subType: 'MessageTooLarge' }
const CONTENT: BounceReason = { type: 'Transient', subType: 'ContentRejected' }
const ATTACHMENT: BounceReason = { type: 'Transient', subType: 'AttachmentRejected' }
const UNDETERMINED: BounceReason = { type: 'Undetermined', subType: 'Undetermined' }

/** Why a message was refused, in the words that bounce notifications use. */
export const bounceReasonOf = (reply: SmtpReply): BounceReason => byEnhancedCode(reply) ?? byWords(reply.text) ?? byCode(reply.code)

/** Subject and detail of RFC 3463, section 3. Null if the words of the reply say more. */
function byEnhancedCode({ enhancedCode, text }: SmtpReply): BounceReason | null {
  const [, subject, detail] = enhancedCode?.split('.') ?? []
  switch (`${subject}.${detail}`) {
    // The sender's address is wrong, not the recipient's.
    case '1.7':
    case '1.8':
      return TRANSIENT
    case '2.2':
      return MAILBOX_FULL
    case '2.3':
    case '3.4':
      return TOO_LARGE
    // The mailbox is disabled.
    case '2.1':
      return PERMANENT
  }
  // `1.0` says only that the problem concerns an address.
  if (subject === '1' && detail !== '0') return PERMANENT
  // Policy and content concern this message or our reputation; the address may be valid.
  if (subject === '6') return byWords(text) === ATTACHMENT ? ATTACHMENT : CONTENT
  if (subject === '7') return byWords(text) ?? TRANSIENT
  return null
}

const WORDS: readonly (readonly [RegExp, BounceReason])[] = [
  [/attachment|file type|file extension/i, ATTACHMENT],
  [
    /spam|virus|malware|phish|content (?:was )?(?:rejected|blocked|denied)|message (?:was )?(?:rejected|refused) (?:due to|because of) content/i,
    CONTENT,
  ],
  [/mailbox (?:is )?full|quota|storage allocation|out of space|insufficient storage/i, MAILBOX_FULL],
  [/too (?:large|big)|size (?:limit|exceed)|exceeds? (?:\w{1,20} ){0,3}size|maximum (?:message )?size/i, TOO_LARGE],
  [
    /(?:user|recipient|mailbox|address|account)\b.{0,40}\b(?:unknown|not found|not exist|no longer|disabled|inactive|invalid|unavailable)/i,
    PERMANENT,
  ],
  [/(?:unknown|no such|invalid) (?:local )?(?:user|recipient|mailbox|address|account)|doesn't exist/i, PERMANENT],
]

const byWords = (text: string): BounceReason | null => WORDS.find(([pattern]) => pattern.test(text))?.[1] ?? null

function byCode(code: number): BounceReason {
  if (code === 552) return MAILBOX_FULL
  // The host accepts no mail at all (RFC 7504), or the mailbox has moved for good.
  if (code === 521 || code === 556 || code === 551) return PERMANENT
  return code < 500 ? TRANSIENT : UNDETERMINED
}
