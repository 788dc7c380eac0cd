// Mail servers that bring messages: each connection sends one after the other, from an address of its own.
import { once } from 'node:events'
import { connect } from 'node:net'

export type Letter = { to: string; raw: string }

/** `apiKey`: of those that hand in mail, who sign in. */
export type Senders = { connections: number; apiKey?: string }

/** Sends all, each once. Returns how long each took from MAIL to its 250, in milliseconds. */
export async function sendLetters(port: number, letters: Letter[], { connections, apiKey }: Senders): Promise<number[]> {
  const waiting = [...letters]
  const durations: number[] = []

  async function sendFrom(localAddress: string): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true })
    let received = ''
    socket.setEncoding('latin1')
    const reply = async (code: number): Promise<void> => {
      for (;;) {
        const line = /^(?:\d{3}-.*\r\n)*(\d{3}) .*\r\n/.exec(received)
        if (line) {
          received = received.slice(line[0].length)
          if (Number(line[1]) !== code) throw new Error(`The server answered ${line[0]}`)
          return
        }
        const [text] = await once(socket, 'data')
        received += text
      }
    }
    await reply(220)
    socket.write('EHLO bench.example.net\r\n')
    await reply(250)
    if (apiKey !== undefined) {
      socket.write(`AUTH PLAIN ${Buffer.from(`\0bench\0${apiKey}`).toString('base64')}\r\n`)
      await reply(235)
    }
    for (let letter = waiting.shift(); letter; letter = waiting.shift()) {
      const startedAt = performance.now()
      socket.write(`MAIL FROM:<>\r\nRCPT TO:<${letter.to}>\r\nDATA\r\n`)
      for (const code of [250, 250, 354]) await reply(code)
      socket.write(`${letter.raw}.\r\n`)
      await reply(250)
      durations.push(performance.now() - startedAt)
    }
    socket.destroy()
  }

  await Promise.all(Array.from({ length: connections }, (_one, index) => sendFrom(`127.0.0.${index + 1}`)))
  return durations
}
