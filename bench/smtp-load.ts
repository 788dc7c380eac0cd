// Mail servers that bring messages: each connection sends one after the other, from an address of its own. Everything is prepared before, and replies are
// counted as bytes, so that the generator takes little of the processor that the service has.
import { connect } from 'node:net'

export type Letter = { to: string; raw: string }

/** `apiKey`: of those that submit mail, who sign in. `perSecondMax`: of all connections together; as fast as they are answered if absent. */
export type Senders = { connections: number; apiKey?: string; perSecondMax?: number }

/** What is sent, and the code of each reply to it. */
type Step = { sent: Buffer; codes: number[] }

/** Sends all, each once. Returns how long each took from MAIL to its 250, in milliseconds. */
export async function sendLetters(port: number, letters: Letter[], { connections, apiKey, perSecondMax }: Senders): Promise<number[]> {
  const waiting = letters.map(stepsOf)
  const durations: number[] = []
  let next = 0
  const greeting = greetingOf(apiKey)
  const firstAtMs = performance.now()
  /** Until the letter of this number may be sent. */
  const waitMs = (number: number) => (perSecondMax === undefined ? 0 : firstAtMs + (number * 1_000) / perSecondMax - performance.now())

  const sendFrom = (localAddress: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true })
      let steps = greeting
      let step = 0
      let replies = 0
      let startedAt = 0
      let rest = NOTHING

      function begin(given: Step[]): void {
        steps = given
        step = 0
        replies = 0
        startedAt = performance.now()
        send()
      }

      function send(): void {
        const { sent } = steps[step] ?? { sent: NOTHING }
        if (sent.length > 0) socket.write(sent)
      }

      /** The code of a line that ends a reply. */
      function replied(code: number, line: () => string): void {
        if (steps[step]?.codes[replies] !== code) fail(new Error(`The server answered ${line()}`))
        replies += 1
        if (replies < (steps[step]?.codes.length ?? 0)) return
        replies = 0
        step += 1
        if (step < steps.length) send()
        else end()
      }

      function end(): void {
        if (steps !== greeting) durations.push(performance.now() - startedAt)
        const letter = waiting[next]
        const ms = waitMs(next)
        next += 1
        if (letter === undefined) {
          socket.destroy()
          resolve()
        } else if (ms > 0) setTimeout(begin, ms, letter)
        else begin(letter)
      }

      function fail(error: Error): void {
        socket.destroy()
        reject(error)
      }

      socket.on('data', (arrived) => {
        const bytes = rest.length > 0 ? Buffer.concat([rest, arrived]) : arrived
        let at = 0
        for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, at)) {
          const [from, to] = [at, end]
          at = end + 1
          if (bytes[from + 3] === SPACE) replied(codeAt(bytes, from), () => bytes.toString('latin1', from, to))
        }
        rest = bytes.subarray(at)
      })
      socket.once('error', fail)
      socket.once('close', () => fail(new Error('The server has ended the connection')))
    })

  await Promise.all(Array.from({ length: connections }, (_one, index) => sendFrom(`127.0.0.${index + 1}`)))
  return durations
}

const NOTHING: Buffer = Buffer.alloc(0)
const LINE_END = 0x0a
const SPACE = 0x20
const ZERO = 0x30

const codeAt = (bytes: Buffer, at: number): number => [0, 1, 2].reduce((code, place) => code * 10 + (bytes[at + place] ?? 0) - ZERO, 0)

const stepsOf = ({ to, raw }: Letter): Step[] => [
  { sent: Buffer.from(`MAIL FROM:<>\r\nRCPT TO:<${to}>\r\nDATA\r\n`), codes: [250, 250, 354] },
  { sent: Buffer.from(`${raw}.\r\n`, 'utf8'), codes: [250] },
]

const greetingOf = (apiKey: string | undefined): Step[] => [
  { sent: NOTHING, codes: [220] },
  { sent: Buffer.from('EHLO bench.example.net\r\n'), codes: [250] },
  ...(apiKey === undefined
    ? []
    : [{ sent: Buffer.from(`AUTH PLAIN ${Buffer.from(`\0bench\0${apiKey}`).toString('base64')}\r\n`), codes: [235] }]),
]
