// What a report is that has no machine-readable part: judged by its headers, its subject and its words.
import { answerPhrases, noticePhrases } from '../../../mail/bounces/phrase-files.ts'
import { holdsAny, type Phrases, plainWords } from '../../../mail/bounces/phrases.ts'
import { allOf, type Fields, firstOf } from '../../../mail/mime-fields.ts'
import { replyIn } from './notice.ts'

export type NoticeKind = 'bounce' | 'delay' | 'success' | 'auto_reply' | 'challenge' | 'other'

type NoticeParts = {
  root: Fields
  subject: string
  text: string
  hasFailedRecipients: boolean
  /** The message that it is about comes with it. */
  returnsMail: boolean
}

/** Failures need two signs, since a mistake would stop mail to a person who only is on holiday. */
export function kindOfNotice({ root, subject, text, hasFailedRecipients, returnsMail }: NoticeParts): NoticeKind {
  const title = plainWords(subject)
  const words = plainWords(text)
  const isDaemon = isDaemonMail(root)
  const isFromServer = isDaemon || hasFailedRecipients || isDeliveryReport(root)
  // People forward the notices of servers, and answer them.
  const isFailure = holdsAny(title, noticePhrases('failureSubjects')) && (isFromServer || !ANSWERED.test(title))
  const tellsFailure = holdsAny(words, noticePhrases('failureWords'))
  const tellsDelay = holdsAny(words, noticePhrases('delayWords')) && !holdsAny(words, noticePhrases('finalWords'))
  const quotesCode = replyIn(text).code !== null

  if (isChallengeSender(root, title)) return 'challenge'
  if (isReadReceipt(root)) return 'other'
  if (tellsDelay && (isFromServer || isFailure)) return 'delay'
  if (holdsAny(title, noticePhrases('delaySubjects')) && (tellsDelay || isFromServer)) return 'delay'
  if (holdsAny(title, noticePhrases('successSubjects')) && !tellsFailure) return 'success'
  if (isFromServer && !isFailure && holdsAny(words, noticePhrases('successWords'))) return 'success'
  if (hasFailedRecipients) return 'bounce'
  const isAnswer = isAutoReply(root, isFromServer && !ANSWERED.test(title))
  const isTitledAnswer = holdsAny(title, answerPhrases('autoReplySubjects'))
  if (isTitledAnswer && !isFromServer) return challengeOr('auto_reply', title, words)
  if (isFailure && (tellsFailure || isFromServer)) return 'bounce'
  if (isFromServer && tellsFailure && !isAnswer) return 'bounce'
  if (isAnswer || isTitledAnswer) return challengeOr('auto_reply', title, words)
  if (quotesCode && (isFromServer || isFailure)) return 'bounce'
  if (returnsMail && tellsFailure && !ANSWERED.test(title)) return 'bounce'
  return challengeOr(holdsAny(words, answerPhrases('autoReplyWords')) ? 'auto_reply' : 'other', title, words)
}

const ANSWERED = /^ (?:re|aw|sv|vs|antw|res|rif|odp|回复|回覆|答复|fwd|fw|wg|tr|rv|enc|i|doorst|转发|轉寄) ?[:：]/u

/** Boxbe asks in the form of a delivery report, so this is asked before those are read. */
export const isChallengeSender = (root: Fields, title: string): boolean =>
  holdsAny(` ${firstOf(root, 'from').toLowerCase()} ${title}`, answerPhrases('challengeSenders')) ||
  CHALLENGE_FIELDS.some((name) => root.has(name))

const CHALLENGE_FIELDS = [
  'x-boxbe-challenge',
  'x-tmda-confirm',
  'x-ask-version',
  'x-challenge-response',
  'x-spamarrest-info',
  'x-mailinblack-id',
]

/** One such phrase is in many newsletters, several are a question. */
const challengeOr = (kind: NoticeKind, title: string, words: string): NoticeKind =>
  countPhrases(answerPhrases('challengeWords'), `${title}${words}`) >= CHALLENGE_PHRASES_MIN ? 'challenge' : kind

const CHALLENGE_PHRASES_MIN = 2

const countPhrases = (phrases: Phrases, words: string): number => phrases.filter((phrase) => holdsAny(words, [phrase])).length

export function isDaemonMail(root: Fields): boolean {
  const from = ` ${firstOf(root, 'from').toLowerCase()}`
  return firstOf(root, 'return-path').replace(/\s/g, '') === '<>' || noticePhrases('daemons').some((daemon) => from.includes(daemon))
}

const isReadReceipt = (root: Fields): boolean => /disposition-notification/i.test(firstOf(root, 'content-type'))

export const isDeliveryReport = (root: Fields): boolean => /report-type *= *"?delivery-status/i.test(firstOf(root, 'content-type'))

/** RFC 3834, and what programs wrote before it. Servers write `auto-replied` into bounces too. */
const isAutoReply = (root: Fields, isNotice: boolean): boolean =>
  (!isNotice && /auto-replied/i.test(firstOf(root, 'auto-submitted'))) ||
  AUTO_REPLY_FIELDS.some((name) => root.has(name)) ||
  AUTO_REPLY_VALUES.some(([name, value]) => allOf(root, name).some((each) => value.test(each)))

const AUTO_REPLY_FIELDS = [
  'x-autoreply',
  'x-auto-reply',
  'x-autoreply-from',
  'x-auto-reply-from',
  'x-mail-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-responder',
  'x-autoresponse',
  'x-vacation',
  'x-vacation-message',
  'x-fc-machinegenerated',
  'x-amazon-auto-reply',
  'x-out-of-office',
]

const AUTO_REPLY_VALUES: readonly (readonly [string, RegExp])[] = [
  ['auto-submitted', /vacation|auto-reply/i],
  ['precedence', /auto[_-]?reply|vacation/i],
  ['preference', /auto[_-]?reply/i],
  ['x-precedence', /auto[_-]?reply/i],
  ['x-autogenerated', /reply/i],
  ['x-auto-generated', /reply/i],
  ['x-post-messageclass', /autoresponder/i],
  ['delivered-to', /autorespon/i],
  ['x-ms-exchange-generated-message-source', /mailbox rules|oof/i],
  ['x-mailer', /vacation|autorespon|auto-?reply/i],
  ['user-agent', /vacation|autorespon|auto-?reply/i],
  ['x-zimbra-autoreply', /./],
  ['x-kolab-autoreply', /./],
]
