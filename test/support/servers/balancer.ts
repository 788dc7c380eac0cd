// Caddy in front of several processes, as docs/deploy.md describes it: it asks each for its health, and passes on nothing to one that is not ready.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../clocks/until.ts'
import { isInstalled } from '../processes/machine.ts'
import { freePort, inheritedEnvironment, type ServiceProcess } from '../processes/processes.ts'

export type Balancer = { url: string; close(): Promise<void> }

export const isBalancerInstalled = (): boolean => isInstalled('caddy')

/** Several health checks fit into it. */
export const DRAIN_SECONDS = 2

/** Throws unless a process has got an email: then the balancer knows that it is there. */
export async function expectRequests({ url }: Pick<ServiceProcess, 'url'>): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  if (!metrics.includes('posthaste_http_requests_total{operation="emails.send"')) throw new Error('The balancer passes nothing on to it')
}

export async function startBalancer(ports: number[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-balancer-'))
  const port = await freePort()
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  reverse_proxy ${ports.map((upstream) => `127.0.0.1:${upstream}`).join(' ')} {
    health_uri /health/ready
    health_interval 250ms
    health_timeout 60s
  }
}
`,
  )
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...inheritedEnvironment(), HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  })
  let output = ''
  caddy.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(caddy, 'exit')
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (caddy.exitCode !== null) throw new Error(`Caddy has ended:\n${output}`)
    const { status } = await fetch(`${url}/health/live`)
    if (status !== 200) throw new Error(`Caddy answers ${status}`)
  })

  return {
    url,
    async close() {
      caddy.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type Gate = {
  port: number
  open(): Promise<void>
  /** Ends current connections, and refuses new ones. */
  shut(): Promise<void>
  /** Ends current connections, and leads new ones to another port. */
  lead(target: number): void
}

/** A port that forwards to another one, or to none. */
export async function createGate(firstTarget: number): Promise<Gate> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let target = firstTarget
  let server: Server | null = null
  const drop = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const gate: Gate = {
    port,
    async open() {
      const opened = createServer((client) => {
        const upstream = connect(target, '127.0.0.1')
        for (const [socket, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(socket)
          socket.on('error', () => other.destroy())
          socket.on('close', () => {
            sockets.delete(socket)
            other.destroy()
          })
          socket.pipe(other)
        }
      })
      server = opened
      await new Promise<void>((done) => opened.listen(port, '127.0.0.1', done))
    },
    async shut() {
      const closed = new Promise<void>((done) => (server ? server.close(() => done()) : done()))
      drop()
      await closed
    },
    lead(next) {
      target = next
      drop()
    },
  }
  await gate.open()
  return gate
}
