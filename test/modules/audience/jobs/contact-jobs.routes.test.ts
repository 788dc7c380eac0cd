import { describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { TIMESTAMP } from '../../../support/builders/answers.ts'
import { postJob } from '../../../support/builders/contact-jobs.ts'
import { createContact } from '../../../support/builders/contacts.ts'
import { forEvery } from '../../../support/for-every.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

const UNSUBSCRIBE = { type: 'unsubscribe' }

describe('POST /contacts/jobs', () => {
  it('answers the job as it is then', async () => {
    await createContact(service, { email: 'ada@example.com' })
    const { status, body } = await postJob(service, { search: 'ADA' }, UNSUBSCRIBE)
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        object: 'contact_job',
        id: expect.any(String),
        status: 'queued',
        contacts: {
          ...{ ids_count: null, segment_id: null, search: 'ADA', filter: null },
          ...{ broadcast_id: null, recipients: null, all: false },
        },
        act: { type: 'unsubscribe', segment_id: null, topic_id: null, property: null, value: null },
        expected: 1,
        counts: { total: 0, changed: 0, unchanged: 0, refused: 0 },
        reason: null,
        created_at: TIMESTAMP,
        completed_at: null,
      },
    })
    expect((await service.call('GET', '/contacts/jobs?status=queued')).body).toMatchObject({ data: [body] })
  })

  it('shows a filter as it was written, and names of ids only as a count', async () => {
    const filter = { field: 'email', operator: 'ends_with', value: '@MÜNCHEN.example' }
    expect((await postJob(service, { filter }, UNSUBSCRIBE)).body).toMatchObject({ contacts: { filter } })
    const id = createId()
    expect((await postJob(service, { ids: [id, id.toUpperCase(), createId()] }, UNSUBSCRIBE)).body).toMatchObject({
      contacts: { ids_count: 2 },
      expected: 2,
    })
  })

  it('refuses what is not whole, naming the field', async () => {
    const { body: segment } = await service.call('POST', '/segments', {
      body: { name: 'Filtered', filter: { field: 'unsubscribed', operator: 'equals', value: true } },
    })
    const { id: filtered } = segment as { id: string }
    const { body: their } = await service.call('POST', '/segments', { body: { name: 'Theirs' }, token: service.other.token })
    const { id: theirs } = their as { id: string }
    const all = { all: true }
    await forEvery<[contacts: object, act: object, sentence: string]>(
      [
        [{}, UNSUBSCRIBE, 'Missing `contacts.ids` or'],
        [{ all: true, search: 'ada' }, UNSUBSCRIBE, 'Give either'],
        [{ segment_id: theirs }, UNSUBSCRIBE, 'The `contacts.segment_id` field is not the id of one of your segments.'],
        [{ broadcast_id: createId() }, UNSUBSCRIBE, 'Missing `contacts.recipients` field.'],
        [{ broadcast_id: createId(), recipients: 'opened' }, UNSUBSCRIBE, 'The `contacts.broadcast_id` field is not'],
        [{ ...all, recipients: 'opened' }, UNSUBSCRIBE, 'The `contacts.recipients` field is only for'],
        [all, { type: 'add_to_segment' }, 'Missing `act.segment_id` field.'],
        [all, { type: 'add_to_segment', segment_id: theirs }, 'The `act.segment_id` field is not the id of one of your segments.'],
        [all, { type: 'add_to_segment', segment_id: filtered }, 'The `act.segment_id` field names a segment with a filter'],
        [all, { type: 'opt_in', topic_id: createId() }, 'The `act.topic_id` field is not the id of one of your topics.'],
        [all, { type: 'set_property', property: 'unknown', value: 1 }, 'The `act.property.unknown` field is not a property'],
        [all, { ...UNSUBSCRIBE, topic_id: createId() }, 'The `act.topic_id` field is not for the act `unsubscribe`.'],
        [all, { type: 'subscribe' }, 'The act `subscribe` is only for contacts that `contacts.ids` names'],
      ],
      async ([contacts, act, sentence]) => {
        const { status, body } = await postJob(service, contacts, act)
        expect({ status, body }).toMatchObject({ status: 422, body: { message: expect.stringContaining(sentence) } })
      },
    )
  })

  it('takes no more than may wait', async () => {
    await service.database.execute(
      `insert into contact_jobs (id, team_id, status, selection, act, created_at)
       select gen_random_uuid(), $1, 'queued', '{"kind": "all"}', '{"type": "unsubscribe"}', now() from generate_series(1, 100)`,
      [service.teamId],
    )
    expect((await postJob(service, { all: true }, UNSUBSCRIBE)).body).toMatchObject({
      message: expect.stringContaining('100 contact jobs'),
    })
  })
})
