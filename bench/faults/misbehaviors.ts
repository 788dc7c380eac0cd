// Mail servers that behave badly, each in its own way.

import { type SinkMessage, type SmtpSinkOptions, startScriptedServer, startSmtpSink } from '../../test/support/servers/smtp-sink.ts'

export type Misbehavior = {
  name: string
  /** `noteArrival` is called with every message that it accepts. */
  start(noteArrival: (message: Pick<SinkMessage, 'raw'>) => void): Promise<{ port: number; close(): Promise<unknown> }>
  /** The outcome of the first attempt for the address number `index`. */
  firstOutcome(index: number): 'delivered' | 'delayed' | 'bounced'
  /** It accepts messages without saying so, so all of them are sent again. */
  isSilentAboutTaking?: true
}

const delayed = () => 'delayed' as const
const delivered = () => 'delivered' as const
/** The others are taken. */
const isRefused = (address: string) => Number(/\d+/.exec(address)?.[0]) % 3 === 0

const sink = (name: string, options: SmtpSinkOptions, firstOutcome: Misbehavior['firstOutcome'] = delayed): Misbehavior => ({
  name,
  start: (noteArrival) =>
    startSmtpSink({
      ...options,
      onMessage(message) {
        const fault = options.onMessage?.(message)
        if (fault === undefined) noteArrival(message)
        return fault
      },
    }),
  firstOutcome,
})

export const MISBEHAVIORS: Misbehavior[] = [
  sink('greets with 421', { onConnect: () => ({ code: 421, text: 'too busy' }) }),
  sink('answers MAIL with 421', { onMail: () => ({ code: 421, text: 'going down' }) }),
  sink('answers RCPT with 450', { onRecipient: () => ({ code: 450, text: 'greylisted' }) }),
  sink('answers the message with 451', { onMessage: () => ({ code: 451, text: 'no room' }) }),
  sink(
    'refuses every third recipient with 550',
    { onRecipient: (to) => (isRefused(to) ? { code: 550, text: 'no such user' } : undefined) },
    (index) => (index % 3 === 0 ? 'bounced' : 'delivered'),
  ),
  {
    name: 'takes the message and drops the connection before saying so',
    start: (noteArrival) =>
      startSmtpSink({
        onMessage(message) {
          noteArrival(message)
          return 'drop'
        },
      }),
    firstOutcome: delayed,
    isSilentAboutTaking: true,
  },
  sink('drops the connection in the body', { dropInBody: true }),
  { name: 'never greets', start: () => startScriptedServer({ greeting: null, reply: () => null }), firstOutcome: delayed },
  sink('answers everything after 5 s', { replyDelayMs: 5_000 }, delivered),
  {
    name: 'closes after each message',
    start: (noteArrival) =>
      startScriptedServer({
        greeting: '220 sink',
        reply: (command) => (command === '.' ? { line: '250 taken', isLast: true } : null),
        onMessage: (raw) => noteArrival({ raw }),
      }),
    firstOutcome: delivered,
  },
  {
    name: 'answers MAIL with garbage',
    start: () =>
      startScriptedServer({ greeting: '220 sink', reply: (command) => (command === 'MAIL' ? { line: '\0\u00ff%& hm?' } : null) }),
    firstOutcome: delayed,
  },
  {
    name: 'announces STARTTLS and breaks it',
    start: () =>
      startScriptedServer({
        greeting: '220 sink',
        extensions: ['STARTTLS'],
        reply: (command) => (command === 'STARTTLS' ? { line: '220 go on\r\n250 that was no TLS', isLast: true } : null),
      }),
    firstOutcome: delayed,
  },
]
