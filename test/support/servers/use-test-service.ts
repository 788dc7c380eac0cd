// The service that the tests of a file share: started before the first of them, closed after the last.
import { afterAll, beforeAll } from 'vitest'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'

/** Call it where the file or a `describe` begins. Its fields are there once the tests run. */
export function useTestService(options?: TestServiceOptions): TestService {
  const started: { service?: TestService } = {}
  const service = (): TestService => {
    if (!started.service) throw new Error('The service of the tests is used before it is started')
    return started.service
  }
  beforeAll(async () => {
    started.service = await startTestService(options)
  })
  afterAll(() => started.service?.close())
  return {
    get url() {
      return service().url
    },
    get service() {
      return service().service
    },
    get database() {
      return service().database
    },
    get config() {
      return service().config
    },
    get teamId() {
      return service().teamId
    },
    get token() {
      return service().token
    },
    get sendingToken() {
      return service().sendingToken
    },
    get other() {
      return service().other
    },
    call: (...request) => service().call(...request),
    createKey: (...key) => service().createKey(...key),
    close: () => service().close(),
  }
}
