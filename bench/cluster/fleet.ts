// Three processes of each role beside the cluster, and the load that goes to them.
import type { ServiceProcess } from '../../test/support/processes/processes.ts'
import { openStage, type Stage, type WorkerProcess } from '../faults/stage.ts'
import type { Row } from '../faults/trial.ts'
import type { Cluster } from './cluster.ts'

const PROCESSES = 3
/** A data folder that all of them share stands for a bucket, and no mail comes in from outside: 9 is the port of no DNS server. */
const ENVIRONMENT = { DNS_SERVERS: '127.0.0.1:9' }

export type Fleet = { cluster: Cluster; stage: Stage; workers: WorkerProcess[]; url: () => string }

export async function withFleet(cluster: Cluster, work: (fleet: Fleet) => Promise<Row>): Promise<Row> {
  const stage = await openStage({ shared: cluster, environment: ENVIRONMENT })
  try {
    const apis: ServiceProcess[] = []
    while (apis.length < PROCESSES) apis.push(await stage.startApi())
    const workers: WorkerProcess[] = []
    while (workers.length < PROCESSES) workers.push(await stage.startWorker())
    for (let count = 0; count < PROCESSES; count++) stage.place.spawn({ environment: { ROLES: 'inbound' } })
    let requests = 0
    return await work({ cluster, stage, workers, url: () => apis[requests++ % apis.length]?.url ?? '' })
  } finally {
    await stage.close()
  }
}
