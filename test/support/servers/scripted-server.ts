// A mail server with scripted answers, for replies that no proper server gives.
import { createServer, type Socket } from 'node:net'

export type ScriptedServer = { port: number; close(): Promise<void> }

/** The reply to a command. `isLast`: the connection is closed after it. Null: the reply of a proper server. */
export type ScriptedReply = { line: string; isLast?: true } | null

export type Script = {
  /** Null if it never says anything. */
  greeting: string | null
  /** `command` is its first word in upper case, or `.` for the end of a message. */
  reply(command: string): ScriptedReply
  extensions?: string[]
  /** The whole line of each command, before its reply. */
  onCommand?(line: string): void
  onMessage?(raw: string): void
}

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    if (script.greeting !== null) {
      socket.write(`${script.greeting}\r\n`)
      converse(socket, script)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function converse(socket: Socket, script: Script): void {
  let received = ''
  let body: string[] | null = null
  const answer = (command: string) => {
    const { line, isLast } = script.reply(command) ?? { line: properReply(command, script.extensions) }
    socket.write(`${line}\r\n`)
    if (isLast || command === 'QUIT') socket.end()
  }
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const lines = received.split('\r\n')
    received = lines.pop() ?? ''
    for (const line of lines) {
      if (body === null) {
        const command = (line.split(/[ :]/)[0] ?? '').toUpperCase()
        script.onCommand?.(line)
        answer(command)
        if (command === 'DATA') body = []
      } else if (line === '.') {
        script.onMessage?.(body.join('\r\n'))
        body = null
        answer('.')
      } else body.push(line)
    }
  })
}

function properReply(command: string, extensions: string[] = []): string {
  if (command === 'EHLO') return ['250-sink', ...extensions.map((name) => `250-${name}`), '250 8BITMIME'].join('\r\n')
  if (command === 'DATA') return '354 go on'
  return command === 'QUIT' ? '221 goodbye' : '250 ok'
}
