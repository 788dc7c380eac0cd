// Acts over many contacts for tests: accepted by the API, and carried out in one try.
import { createId } from '../../../src/lib/ids.ts'
import { mergeContacts } from '../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { runContactJob } from '../../../src/modules/audience/jobs/contact-jobs.worker.ts'
import type { Answer, TestService } from '../servers/service.ts'

export type JobRecord = {
  id: string
  status: string
  expected: number | null
  counts: Record<'total' | 'changed' | 'unchanged' | 'refused', number>
  reason: string | null
}

export const postJob = (service: TestService, contacts: object, act: object): Promise<Answer> =>
  service.call('POST', '/contacts/jobs', { body: { contacts, act } })

/** One try, without a worker. */
export const tryJob = (service: TestService, contactJobId: string, task: Partial<Parameters<typeof runContactJob>[1]> = {}) =>
  runContactJob(service.service.context, {
    teamId: service.teamId,
    contactJobId,
    attempt: 1,
    isLastTry: false,
    signal: new AbortController().signal,
    ...task,
  })

export const readJob = async (service: TestService, id: string): Promise<JobRecord> =>
  (await service.call('GET', `/contacts/jobs/${id}`)).body as JobRecord

/** Accepts a job, and carries it out. */
export async function runJob(service: TestService, contacts: object, act: object): Promise<JobRecord> {
  const { status, body, text } = await postJob(service, contacts, act)
  if (status !== 201) throw new Error(`The job was not accepted: ${text}`)
  const { id } = body as { id: string }
  await tryJob(service, id)
  return readJob(service, id)
}

/** Creates very many contacts with little work, and returns their ids in their order. */
export async function addManyContacts({ service, teamId, database }: TestService, count: number, name = 'many'): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createId())
  const contacts = ids.map((id, index) => {
    const email = `${name}-${index}@example.com`
    const addressHash = service.context.hashAddress(teamId, email)
    return { id, email, addressHash, firstName: null, lastName: null, unsubscribed: false, properties: {} }
  })
  await database.transaction((execute) =>
    mergeContacts(execute, contacts, { teamId, onConflict: 'upsert', segmentIds: [], topics: [], now: new Date() }),
  )
  return ids
}
