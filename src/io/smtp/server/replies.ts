// What the server answers when it refuses something, with the enhanced codes of RFC 3463.

/** A reply that the SMTP library sends in place of its own. */
export class Refusal extends Error {
  readonly responseCode: number
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    const [code, text] = REPLIES[reason]
    super(text)
    this.responseCode = code
    this.reason = reason
  }
}

/** A reply with a sentence of its own, about what is submitted. It is ASCII, in one line. */
export class Rejection extends Error {
  readonly responseCode: number
  readonly reason: string

  constructor({ code, enhancedCode, reason }: { code: number; enhancedCode: string; reason: string }, sentence: string) {
    super(`${enhancedCode} ${shown(sentence)}`)
    this.responseCode = code
    this.reason = reason
  }
}

/** RFC 5321, section 4.5.3.1.5: a line has 512 octets. */
const SENTENCE_LENGTH_MAX = 480

const shown = (sentence: string): string => sentence.replace(/[^ -~]+/g, '?').slice(0, SENTENCE_LENGTH_MAX)

export type RefusalReason = keyof typeof REPLIES

/** A reply with 421 ends the connection. */
const REPLIES = {
  stopping: [421, '4.3.2 This server is stopping, please try again in a moment'],
  full: [421, '4.3.2 Too many connections, please try again in a moment'],
  'peer connections': [421, '4.7.0 Too many connections from your address, please use fewer'],
  'network connections': [421, '4.7.0 Too many connections from your network, please use fewer'],
  'no proxy header': [421, '4.3.0 A connection from this address must begin with a PROXY header (INBOUND_TRUST_PROXY)'],
  'peer commands': [421, '4.7.0 Too many commands a minute from your address, please slow down'],
  'peer errors': [421, '4.7.0 Too many errors from your address, please try again in a minute'],
  'peer bytes': [421, '4.7.0 Too much data a minute from your address, please slow down'],
  'network commands': [421, '4.7.0 Too many commands a minute from your network, please slow down'],
  'network errors': [421, '4.7.0 Too many errors from your network, please try again in a minute'],
  'network bytes': [421, '4.7.0 Too much data a minute from your network, please slow down'],
  bytes: [421, '4.3.2 Too much data a minute, please try again in a moment'],
  errors: [421, '4.7.0 Too many errors in this connection'],
  'no message': [421, '4.7.0 Too many commands without a message, please connect when you have one'],
  messages: [421, '4.7.0 This connection has sent enough messages, please open another one'],
  slow: [421, '4.4.2 Too slow, closing the connection'],
  session: [421, '4.4.2 This connection has been open for too long, please open another one'],
  'no address of ours': [550, '5.7.1 This server takes no mail for this address'],
  'bare line break': [550, '5.6.0 The message has a line break that is not CR LF, which is not accepted'],
  'long line': [554, '5.6.0 The message has a line of more than 998 characters, please encode its part as quoted-printable or base64'],
  NUL: [554, '5.6.0 The message has a NUL character, please encode its part as base64'],
  unauthenticated: [530, '5.7.0 Authentication required: use AUTH with an API key as the password'],
  'key deleted': [535, '5.7.8 The API key was deleted, please use another one'],
  'no key check': [454, '4.7.0 The API key cannot be checked at the moment, please try again later'],
  loop: [554, '5.4.6 The message has too many Received headers, it is in a mail loop'],
  flood: [421, '4.3.4 The message is far larger than this server takes'],
  size: [552, '5.3.4 The message is larger than this server takes'],
  'too much data': [452, '4.7.0 This is more data a minute than your address or network may send, please try again in a minute'],
  'too many messages': [452, '4.7.0 These are more messages a minute than your address or network may send, please try again in a minute'],
  'return path messages': [452, '4.7.0 These are more messages a minute than this return path accepts, please try again in a minute'],
  'team stopped': [451, '4.2.1 Mail for this domain is not taken at the moment, please try again later'],
  teams: [452, '4.5.3 The message is for too many teams of this server, please send it to some of its recipients at a time'],
  'team messages': [452, '4.7.0 More messages arrive for this domain than it may receive in a minute, please try again in a minute'],
  'team messages of network': [
    452,
    '4.7.0 Your network has sent this domain as many messages as it accepts from one network in a minute, please try again in a minute',
  ],
  'team bytes': [452, '4.2.2 This domain has received as much as it may in a day, please try again later'],
  'team bytes of network': [
    452,
    '4.2.2 Your network has sent this domain as much data as it accepts from one network in a day, please try again later',
  ],
  'team storage': [452, '4.2.2 This domain has no room for more messages at the moment, please try again later'],
  spam: [554, '5.7.1 The message was refused, because it looks like spam'],
  virus: [554, '5.7.1 The message was refused, because it has a virus'],
  filter: [451, '4.7.1 The message is not accepted at the moment, please try again later'],
  waiting: [452, '4.3.1 Too many messages wait to be read at the moment, please try again later'],
  disk: [452, '4.3.1 This server has no room for messages at the moment, please try again later'],
  failure: [451, '4.3.0 The message could not be stored, please try again later'],
} as const satisfies Record<string, readonly [number, string]>

/** The whole line, for a connection that has no session yet. */
export const replyLine = (reason: RefusalReason): string => `${REPLIES[reason].join(' ')}\r\n`

/** Whether a text brings its enhanced code. */
export const hasEnhancedCode = (text: unknown): boolean => typeof text === 'string' && /^[245]\.\d{1,3}\.\d{1,3} /.test(text)
