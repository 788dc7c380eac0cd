// A mail server that reads, counts and forgets. It knows as much SMTP as a correct client needs, including pipelined commands.
import { createServer, type Socket } from 'node:net'

/** What has arrived since the last report: when, for addresses that begin with `marked`; in all, for the rest. */
export type SinkReport = { count: number; atMs: number; marks: [address: string, ms: number][] }

const [port = '0', ...addresses] = process.argv.slice(2)
const REPORT_EVERY_MS = 20
const END_OF_DATA = Buffer.from('\r\n.\r\n')

let count = 0
let reported = -1
let marks: SinkReport['marks'] = []
const nowMs = () => Number(process.hrtime.bigint()) / 1e6

function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0)
  let isInData = false
  let recipient = ''
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.write('220 sink ESMTP\r\n')
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let replies = ''
    for (;;) {
      const end = isInData ? bytes.indexOf(END_OF_DATA) : bytes.indexOf('\r\n')
      if (end === -1) break
      if (isInData) {
        isInData = false
        count += 1
        if (recipient.startsWith('marked')) marks.push([recipient, nowMs()])
        replies += '250 2.0.0 Ok\r\n'
        bytes = bytes.subarray(end + END_OF_DATA.length)
        continue
      }
      const line = bytes.toString('latin1', 0, end)
      bytes = bytes.subarray(end + 2)
      const command = line.slice(0, 4).toUpperCase()
      if (command === 'RCPT') recipient = line.slice(line.indexOf('<') + 1, line.indexOf('>'))
      isInData = command === 'DATA'
      replies += REPLIES[command] ?? '250 2.0.0 Ok\r\n'
      if (command === 'QUIT') socket.end(replies)
    }
    // Only as much of a message is kept as the end of it may have begun in.
    rest = isInData ? bytes.subarray(Math.max(0, bytes.length - END_OF_DATA.length + 1)) : bytes
    if (replies !== '' && socket.writable) socket.write(replies)
  })
}

const REPLIES: Record<string, string> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES\r\n',
  DATA: '354 Go on\r\n',
  QUIT: '221 2.0.0 Bye\r\n',
}

function report(): void {
  if (count === reported || process.send === undefined) return
  process.send({ count, atMs: nowMs(), marks } satisfies SinkReport)
  reported = count
  marks = []
}

await Promise.all(
  addresses.map((address) => {
    const server = createServer(serve)
    return new Promise<void>((done, fail) => server.once('error', fail).listen({ port: Number(port), host: address, backlog: 1_000 }, done))
  }),
)
setInterval(report, REPORT_EVERY_MS)
// The process that started it has ended.
process.once('disconnect', () => process.exit(0))
