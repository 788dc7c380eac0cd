// How a test makes a record of a resource stand: what the house tests walk all operations with.
import type { Resource } from '../../../src/modules/routes.ts'
import type { CallOptions, TestService } from '../servers/service.ts'

/** What the id of a resource is called in a path. */
export type Parameter = Resource['parameter']

export type RecordBuilder = {
  /** Makes one for the team of the service, and answers its id. `of` answers the id of a record of another resource. */
  make(service: TestService, of: (parameter: Parameter) => Promise<string>): Promise<string>
  /** Brings it into the state that an operation needs. */
  ready?(service: TestService, id: string, operationId: string): Promise<void>
  /** Where its team reads it: what another team does may change nothing there. */
  paths(id: string): string[]
  /** Makes what examples take for granted, for the team of the token. */
  prepare?(service: TestService, token: string): Promise<void>
  /** Changes the create's example body where something must be unique in a team. */
  unlike?(body: object, count: number): object
}

/** Creates something over HTTP and answers its id. */
export async function create(service: TestService, path: string, body: unknown, options: CallOptions = {}): Promise<string> {
  const answer = await service.call('POST', path, { body, ...options })
  if (answer.status >= 300) throw new Error(`POST ${path} was answered with ${answer.text}`)
  return (answer.body as { id: string }).id
}

/** The id of the first record of a list. */
export async function firstOf(service: TestService, path: string): Promise<string> {
  const { body, text } = await service.call('GET', path)
  const [first] = (body as { data: { id: string }[] }).data
  if (!first) throw new Error(`GET ${path} was answered with ${text}`)
  return first.id
}
