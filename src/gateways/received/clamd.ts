// What clamd says of a message, which is sent to it piece by piece (INSTREAM, see clamd(8)).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { AskFilter } from './filtered-message.ts'

const PORT = 3310
const ANSWER_LENGTH_MAX = 4_096
const COMMAND = Buffer.from('zINSTREAM\0')
const END = Buffer.alloc(4)

export const askClamd: AskFilter = async (url, { open }, signal) => {
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || PORT), signal })
  // Each failure is seen where the answer is awaited.
  socket.on('error', () => {})
  const content = await open()
  try {
    const answering = answerOf(socket)
    // It may answer before the end, such as to what is too large for it.
    await Promise.race([send(socket, content, signal), answering])
    return judgementOf(await answering)
  } finally {
    content.destroy()
    socket.destroy()
  }
}

async function send(socket: Socket, content: Readable, signal: AbortSignal): Promise<void> {
  socket.write(COMMAND)
  for await (const piece of content) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(piece.length)
    socket.write(length)
    if (!socket.write(piece)) await once(socket, 'drain', { signal })
  }
  socket.write(END)
}

/** Up to the NUL that ends it. */
function answerOf(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    const end = text.indexOf('\0')
    if (end !== -1) resolve(text.slice(0, end))
    else if (text.length > ANSWER_LENGTH_MAX) reject(new Error('clamd answered too much'))
  })
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('clamd answered nothing')))
  promise.catch(() => {})
  return promise
}

function judgementOf(answer: string): Awaited<ReturnType<AskFilter>> {
  const found = /^stream: (.{1,200}) FOUND$/.exec(answer)?.[1]
  if (found !== undefined) return { verdict: 'virus', score: null, detail: found.replace(/[^\x20-\x7e]/g, '?'), refuses: 'always' }
  if (answer === 'stream: OK') return { verdict: 'clean', score: null, detail: null, refuses: 'not' }
  throw new Error(`clamd answered ${JSON.stringify(answer.slice(0, 200))}`)
}
