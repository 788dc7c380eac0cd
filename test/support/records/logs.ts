import { firstOf, type RecordBuilder } from './record-builder.ts'

export const logRecord: RecordBuilder = {
  async make(service) {
    await service.call('GET', '/emails')
    await service.service.context.repositories.requestLogs.flush()
    return firstOf(service, '/logs?limit=1')
  },
  paths: (id) => [`/logs/${id}`],
}
