import { create } from '../records/record-builder.ts'
import type { TestService } from '../servers/service.ts'

export const createEvent = (service: TestService, fields: Record<string, unknown>, token = service.token): Promise<string> =>
  create(service, '/events', fields, { token })
