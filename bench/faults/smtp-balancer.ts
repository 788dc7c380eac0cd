// HAProxy in front of the SMTP servers of several processes, as docs/deploy.md describes it: it asks each process for its health over HTTP, and says who
// connected by the PROXY protocol.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/support/clocks/until.ts'
import { isInstalled } from '../../test/support/processes/machine.ts'
import { freePort, inheritedEnvironment } from '../../test/support/processes/processes.ts'

/** The ports of one process: of its SMTP servers, and the one where it answers for its health. */
export type BalancedProcess = { http: number; submission: number; inbound: number }

export type SmtpBalancer = { submission: number; inbound: number; close(): Promise<void> }

export const isSmtpBalancerInstalled = (): boolean => isInstalled('haproxy')

export async function startSmtpBalancer(processes: BalancedProcess[]): Promise<SmtpBalancer> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-haproxy-'))
  const ports = { submission: await freePort(), inbound: await freePort() }
  const file = join(folder, 'haproxy.cfg')
  const section = (name: 'submission' | 'inbound') => `listen ${name}
  bind 127.0.0.1:${ports[name]}
${processes.map((each, index) => `  server p${index} 127.0.0.1:${each[name]} port ${each.http}`).join('\n')}
`
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 5s
  timeout client 10m
  timeout server 10m
  option redispatch 1
  option httpchk GET /health/ready
  default-server check inter 250ms fall 1 rise 1 send-proxy-v2
${section('submission')}${section('inbound')}`,
  )
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'], env: inheritedEnvironment() })
  let output = ''
  for (const stream of [haproxy.stdout, haproxy.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(haproxy, 'exit')
  for (const port of Object.values(ports)) {
    await until(async () => {
      if (haproxy.exitCode !== null) throw new Error(`HAProxy has ended:\n${output}`)
      await expectGreeting(port)
    })
  }
  return {
    ...ports,
    async close() {
      haproxy.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function expectGreeting(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [greeting] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
    if (!String(greeting).startsWith('220 ')) throw new Error('No SMTP server answers through HAProxy')
  } finally {
    socket.destroy()
  }
}
