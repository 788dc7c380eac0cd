// Acts over many contacts: what becomes of each of them, and that a job continues after a crash, counts everyone once, and stops when it is told to.
import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { failStuckContactJobs } from '../../../../src/modules/audience/jobs/contact-jobs.worker.ts'
import { addManyContacts, postJob, readJob, runJob, tryJob } from '../../../support/builders/contact-jobs.ts'
import { createContact } from '../../../support/builders/contacts.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

beforeEach(() =>
  service.database.execute(
    'truncate contacts, contact_segments, contact_topics, opt_outs, topic_opt_outs, suppressions, segments, topics, contact_jobs, contact_job_refusals, notifications',
  ),
)

const post = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id
const counts = (changed: number, unchanged = 0, refused = 0) => ({ total: changed + unchanged + refused, changed, unchanged, refused })
const contactOf = async (email: string) => (await service.call('GET', `/contacts/${email}`)).body as Record<string, unknown>
const membersOf = async (segmentId: string) =>
  ((await service.call('GET', `/segments/${segmentId}/contacts`)).body as { data: { email: string }[] }).data.map(({ email }) => email)
const topicOf = async (email: string) =>
  ((await service.call('GET', `/contacts/${email}/topics`)).body as { data: { subscription: string }[] }).data[0]?.subscription
const refusalsOf = async (id: string) => (await service.call('GET', `/contacts/jobs/${id}/refusals`)).body as { data: object[] }
const typesOf = async () =>
  (await service.database.execute<{ type: string }>('select type from notifications order by type')).map(({ type }) => type)

/** Ada and Bob, without what creating them has told. */
async function twoContacts(fields: object = {}): Promise<[string, string]> {
  const ids: [string, string] = [
    await createContact(service, { email: 'ada@example.com', ...fields }),
    await createContact(service, { email: 'bob@example.org' }),
  ]
  await service.database.execute('truncate notifications')
  return ids
}

describe('an act', () => {
  it('adds contacts to a segment, and takes them out', async () => {
    const segment = await post('/segments', { name: 'Friends' })
    await twoContacts({ segments: [segment] })
    const act = { type: 'add_to_segment', segment_id: segment }
    expect(await runJob(service, { all: true }, act)).toMatchObject({ status: 'completed', expected: 2, counts: counts(1, 1) })
    expect(await membersOf(segment)).toEqual(['bob@example.org', 'ada@example.com'])
    expect(await typesOf()).toEqual(['contact.updated'])
    const leave = { type: 'remove_from_segment', segment_id: segment }
    expect(await runJob(service, { segment_id: segment }, leave)).toMatchObject({ expected: 2, counts: counts(2) })
    expect(await membersOf(segment)).toEqual([])
  })

  it('refuses contacts that are in as many segments as they may be', async () => {
    const [ada] = await twoContacts()
    const segment = await post('/segments', { name: 'One more' })
    await service.database.execute(
      `with made as (insert into segments (id, team_id, name, created_at) select gen_random_uuid(), $1, 'Full', now() from generate_series(1, 500) returning id)
       insert into contact_segments (segment_id, contact_id, created_at) select id, $2, now() from made`,
      [service.teamId, ada],
    )
    const job = await runJob(service, { all: true }, { type: 'add_to_segment', segment_id: segment })
    expect(job).toMatchObject({ status: 'completed', counts: counts(1, 0, 1) })
    expect((await refusalsOf(job.id)).data).toEqual([{ id: ada, email: 'ada@example.com', reason: 'too_many_segments' }])
  })

  it('unsubscribes contacts, and remembers that for their addresses', async () => {
    const [ada] = await twoContacts()
    expect(await runJob(service, { search: '@example.com' }, { type: 'unsubscribe' })).toMatchObject({ counts: counts(1) })
    expect(await contactOf('ada@example.com')).toMatchObject({ unsubscribed: true })
    expect(await contactOf('bob@example.org')).toMatchObject({ unsubscribed: false })
    await service.call('DELETE', `/contacts/${ada}`)
    await createContact(service, { email: 'ada@example.com' })
    expect(await contactOf('ada@example.com')).toMatchObject({ unsubscribed: true })
  })

  it('subscribes those who are named again, but none whose mail is stopped by a complaint or by the team', async () => {
    const [ada, bob] = await twoContacts()
    await runJob(service, { all: true }, { type: 'unsubscribe' })
    await post('/suppressions', { email: 'bob@example.org' })
    const unknown = createId()
    const job = await runJob(service, { ids: [ada, bob, unknown] }, { type: 'subscribe' })
    expect(job).toMatchObject({ expected: 3, counts: counts(1, 0, 2) })
    expect((await refusalsOf(job.id)).data).toEqual([
      { id: unknown, email: null, reason: 'not_found' },
      { id: bob, email: 'bob@example.org', reason: 'suppressed' },
    ])
    expect(await contactOf('ada@example.com')).toMatchObject({ unsubscribed: false })
    expect(await contactOf('bob@example.org')).toMatchObject({ unsubscribed: true })
    expect(await service.database.execute('select from opt_outs')).toHaveLength(1)
  })

  it('opts in to a topic only those who did not opt out, unless they are named', async () => {
    const [ada] = await twoContacts()
    const topic = await post('/topics', { name: 'News', default_subscription: 'opt_out' })
    expect(await runJob(service, { ids: [ada] }, { type: 'opt_out', topic_id: topic })).toMatchObject({ counts: counts(0, 1) })
    await service.database.execute('truncate notifications')
    const job = await runJob(service, { all: true }, { type: 'opt_in', topic_id: topic })
    expect(job).toMatchObject({ counts: counts(1, 0, 1) })
    expect((await refusalsOf(job.id)).data).toEqual([{ id: ada, email: 'ada@example.com', reason: 'opted_out' }])
    expect([await topicOf('ada@example.com'), await topicOf('bob@example.org')]).toEqual(['opt_out', 'opt_in'])
    expect(await typesOf()).toEqual(['contact.topics.updated'])
    expect(await runJob(service, { ids: [ada] }, { type: 'opt_in', topic_id: topic })).toMatchObject({ counts: counts(1) })
    expect(await topicOf('ada@example.com')).toBe('opt_in')
    expect(await service.database.execute('select from topic_opt_outs')).toEqual([])
  })

  it('sets and removes a value, which filters then find', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'company', type: 'string' } })
    await twoContacts({ properties: { company: 'Engines' } })
    const set = (value: string | null) => runJob(service, { all: true }, { type: 'set_property', property: 'company', value })
    expect(await set('Engines')).toMatchObject({ counts: counts(1, 1) })
    const filter = { property: 'company', operator: 'contains', value: 'ngine' }
    expect((await service.call('POST', '/contacts/counts', { body: { contacts: { filter } } })).body).toMatchObject({ contacts: 2 })
    expect(await set(null)).toMatchObject({ counts: counts(2) })
    expect(await contactOf('bob@example.org')).toMatchObject({ properties: {} })
  })

  it('takes addresses off the suppression list', async () => {
    await twoContacts()
    await post('/suppressions', { email: 'bob@example.org' })
    expect(await runJob(service, { all: true }, { type: 'unsuppress' })).toMatchObject({ counts: counts(1, 1) })
    expect((await service.call('GET', '/suppressions')).body).toMatchObject({ data: [] })
    expect(await typesOf()).toEqual(['suppression.added', 'suppression.removed'])
  })

  it('deletes contacts with all that is known of them, and tells of each', async () => {
    const segment = await post('/segments', { name: 'Friends' })
    await twoContacts({ segments: [segment] })
    await service.call('POST', '/events/send', { body: { event: 'signed.up', email: 'ada@example.com' } })
    const filter = { not: { field: 'email', operator: 'ends_with', value: '.org' } }
    expect(await runJob(service, { filter }, { type: 'delete' })).toMatchObject({ counts: counts(1) })
    expect((await service.call('GET', '/contacts/ada@example.com')).status).toBe(404)
    expect(await service.database.execute('select from contacts')).toHaveLength(1)
    expect(await service.database.execute('select from contact_segments')).toEqual([])
    expect(await service.database.execute('select from sent_events')).toEqual([])
    const [told] = await service.database.execute<{ data: object }>("select data from notifications where type = 'contact.deleted'")
    expect(told?.data).toMatchObject({ email: 'ada@example.com', segment_ids: [segment] })
  })

  it('leaves contacts of other teams, and those that were created after it', async () => {
    await twoContacts()
    const theirs = { token: service.other.token }
    const their = await createContact(service, { email: 'their@example.com' }, theirs)
    const { body } = await postJob(service, { all: true }, { type: 'unsubscribe' })
    const { id } = body as { id: string }
    await createContact(service, { email: 'late@example.com' })
    await tryJob(service, id)
    expect(await readJob(service, id)).toMatchObject({ counts: counts(2) })
    expect(await contactOf('late@example.com')).toMatchObject({ unsubscribed: false })
    const named = await runJob(service, { ids: [their] }, { type: 'delete' })
    expect(named).toMatchObject({ counts: counts(0, 0, 1) })
    expect((await service.call('GET', `/contacts/${their}`, theirs)).status).toBe(200)
  })

  it('fails when what it names is gone, and says that what is counted was done', async () => {
    await twoContacts()
    const segment = await post('/segments', { name: 'Gone' })
    const { body } = await postJob(service, { all: true }, { type: 'add_to_segment', segment_id: segment })
    await service.call('DELETE', `/segments/${segment}`)
    const { id } = body as { id: string }
    await tryJob(service, id)
    expect(await readJob(service, id)).toMatchObject({
      status: 'failed',
      counts: counts(0),
      reason: expect.stringContaining('was deleted'),
    })
  })
})

describe('a job of many batches', () => {
  const MANY = 4_500

  it('deals with everyone once, through a stop of the service and a try that is lost', async () => {
    const ids = await addManyContacts(service, MANY)
    await service.database.execute('update contacts set unsubscribed = true where id = any($1::uuid[])', [ids.slice(0, 10)])
    const { body } = await postJob(service, { all: true }, { type: 'unsubscribe' })
    const { id } = body as { id: string }
    const { contactJobs, selectedContacts } = service.service.context.repositories
    const running = await contactJobs.begin(service.teamId, id)
    if (!running) throw new Error('The job did not begin')
    const batch = await selectedContacts.next(service.teamId, id, running.selection, { after: running.position, upTo: id })
    if (batch === null || batch === 'gone') throw new Error('There is no batch')
    expect(await contactJobs.perform(service.teamId, running, batch, false)).toBe('done')
    // The worker that lost it does the same batch again.
    expect(await contactJobs.perform(service.teamId, running, batch, false)).toBe('stopped')
    await tryJob(service, id, { signal: AbortSignal.abort() })
    expect(await readJob(service, id)).toMatchObject({ status: 'in_progress', counts: counts(1_990, 10) })
    await tryJob(service, id, { attempt: 2 })
    expect(await readJob(service, id)).toMatchObject({ status: 'completed', expected: MANY, counts: counts(MANY - 10, 10) })
    expect(await service.database.execute("select from notifications where type = 'contact.updated'")).toHaveLength(MANY - 10)
  })

  it('stops where it is canceled, for good', async () => {
    await addManyContacts(service, MANY)
    const { body } = await postJob(service, { all: true }, { type: 'delete' })
    const { id } = body as { id: string }
    const { contactJobs, selectedContacts } = service.service.context.repositories
    const running = await contactJobs.begin(service.teamId, id)
    if (!running) throw new Error('The job did not begin')
    const batch = await selectedContacts.next(service.teamId, id, running.selection, { after: running.position, upTo: id })
    if (batch === null || batch === 'gone') throw new Error('There is no batch')
    await contactJobs.perform(service.teamId, running, batch, false)
    expect((await service.call('POST', `/contacts/jobs/${id}/cancel`)).body).toMatchObject({ status: 'canceled', counts: counts(2_000) })
    await tryJob(service, id)
    expect(await readJob(service, id)).toMatchObject({ status: 'canceled', counts: counts(2_000) })
    expect(await service.database.execute('select from contacts')).toHaveLength(MANY - 2_000)
    expect((await service.call('POST', `/contacts/jobs/${id}/cancel`)).status).toBe(422)
  })

  it('finds the same contacts by a segment, by a filter and by a search as by their ids', async () => {
    const ids = await addManyContacts(service, MANY)
    const members = ids.filter((_, index) => index % 7 === 3)
    const segment = await post('/segments', { name: 'Some' })
    const add = { type: 'add_to_segment', segment_id: segment }
    expect(await runJob(service, { ids: members }, add)).toMatchObject({ counts: counts(members.length) })
    for (const contacts of [{ segment_id: segment }, { filter: { segment, member: true } }, { all: true }]) {
      const expected = 'all' in contacts ? MANY : members.length
      expect(await runJob(service, contacts, { type: 'subscribe' }).catch(() => null)).toBeNull()
      expect(await runJob(service, contacts, add)).toMatchObject({ expected })
      await runJob(service, { all: true }, { type: 'remove_from_segment', segment_id: segment })
      await runJob(service, { ids: members }, add)
    }
    const found = ids.filter((_, index) => `many-${index}@`.includes('-44'))
    expect(await runJob(service, { search: '-44' }, { type: 'unsubscribe' })).toMatchObject({ counts: counts(found.length) })
  })

  it('fails once all its tries are over', async () => {
    await addManyContacts(service, 1)
    const { body } = await postJob(service, { all: true }, { type: 'unsubscribe' })
    const { id } = body as { id: string }
    await service.database.execute("select graphile_worker.remove_job('act-on-contacts/' || $1)", [id])
    await failStuckContactJobs(service.service.context)
    expect(await readJob(service, id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('several attempts') })
  })
})
