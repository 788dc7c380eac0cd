// A service with the role api that sends to an SMTP sink, and workers that a test starts and stops.
import { startWorker, type Worker } from '../../../src/workers/worker.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts'

export type RelayService = TestService & {
  sink: SmtpSink
  /** May be changed while the sink runs. */
  sinkOptions: SmtpSinkOptions
  startWorker(): Worker
  /** Ends those that a test has started, so that the next one finds none. */
  stopWorkers(): Promise<void>
}

export async function startRelayService(options: TestServiceOptions & { sink?: SmtpSinkOptions } = {}): Promise<RelayService> {
  const sinkOptions = options.sink ?? {}
  const sink = await startSmtpSink(sinkOptions)
  const service = await startTestService({
    ...options,
    environment: { SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`, ...options.environment },
  })
  const workers: Worker[] = []
  const { context } = service.service
  const { wakeWorkers } = context
  // As between processes: what one accepts wakes the workers of all.
  context.wakeWorkers = (work) => {
    wakeWorkers(work)
    for (const worker of workers) worker.wake(work === 'broadcasts' ? 'all' : work)
  }
  const stopWorkers = async () => void (await Promise.all(workers.splice(0).map((worker) => worker.stop())))
  return {
    ...service,
    sink,
    sinkOptions,
    startWorker() {
      const worker = startWorker(service.service.context, { pool: service.database.pool, maintainPartitions: async () => {} })
      workers.push(worker)
      return worker
    },
    stopWorkers,
    async close() {
      await stopWorkers()
      await service.close()
      await sink.close()
    },
  }
}
