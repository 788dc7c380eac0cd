// etcd, in which Patroni keeps who the primary is.
import { join } from 'node:path'
import { until } from '../../test/support/clocks/until.ts'
import { freePort } from '../../test/support/processes/processes.ts'
import { type Program, startProgram } from './program.ts'

export type Etcd = { port: number; stop(): Promise<void> }

export async function startEtcd(folder: string): Promise<Etcd> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const program = startProgram(commandOf(folder, port, peerPort), join(folder, 'etcd.log'))
  await until(() => expectHealthy(program, port), { interval: 100 })
  return { port, stop: program.stop }
}

function commandOf(folder: string, port: number, peerPort: number): [string, ...string[]] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  return [
    'etcd',
    ...['--name', 'only', '--data-dir', join(folder, 'etcd')],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `only=${peer}`],
  ]
}

async function expectHealthy(program: Program, port: number): Promise<void> {
  if (!program.isRunning()) throw new Error('etcd has ended')
  const { status } = await fetch(`http://127.0.0.1:${port}/health`)
  if (status !== 200) throw new Error(`etcd is not ready (${status})`)
}
