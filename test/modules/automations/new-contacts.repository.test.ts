import { beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { occurrenceRepository } from '../../../src/modules/automations/pending-events/occurrences.repository.ts'
import { UUID } from '../../support/builders/answers.ts'
import { addAutomation, graphOf } from '../../support/builders/automations.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeAll(async () => {
  await addAutomation(service, graphOf([{ key: 'pause', type: 'delay', config: { duration: '1 hour' } }]))
})

/** Tells of events for addresses that no contact has. Returns how many statements that took. */
async function tellOf(addresses: string[]): Promise<number> {
  const events = addresses.map((email) => ({ event: 'signed.up', email }))
  expect((await service.call('POST', '/events/send/batch', { body: events })).status).toBe(202)
  let statements = 0
  const { database } = service
  const transaction: typeof database.transaction = (work, options) =>
    database.transaction(
      (execute) =>
        work((sql, values) => {
          statements += 1
          return execute(sql, values)
        }),
      options,
    )
  const occurrences = occurrenceRepository({ execute: database.execute, transaction }, { clock: systemClock })
  const { hashAddress } = service.service.context
  await occurrences.dispatchAcrossTeams({ hashAddress }, { kind: 'first', occurrencesMax: 200 })
  return statements
}

it('makes contacts for the addresses of a batch in as many statements as for one, and tells of each', async () => {
  const addresses = Array.from({ length: 50 }, (_, index) => `new${index}@example.org`)
  const ofOne = await tellOf(['only@example.org'])
  const ofMany = await tellOf(addresses)
  const told = await service.database.execute<{ data: { email: string } }>(
    `select data from notifications where team_id = $1 and type = 'contact.created' order by data ->> 'email'`,
    [service.teamId],
  )
  expect(told.map(({ data }) => data.email)).toEqual([...addresses, 'only@example.org'].toSorted())
  expect(told[0]?.data).toEqual({
    id: UUID,
    email: 'new0@example.org',
    first_name: null,
    last_name: null,
    unsubscribed: false,
    segment_ids: [],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect(ofMany).toBe(ofOne)
})

it('waits for the disk when it has made a contact, which others see', async () => {
  await service.database.execute(`
    create table commits (event text, setting text);
    create function note_commit() returns trigger language plpgsql as $$
    begin
      insert into commits values (old.name, current_setting('synchronous_commit'));
      return old;
    end $$;
    create trigger note_commit before delete on automation_occurrences for each row execute function note_commit()`)
  for (let times = 0; times < 2; times += 1) await tellOf(['waited.for@example.org'])
  expect(await service.database.execute('select setting from commits')).toEqual([{ setting: 'on' }, { setting: 'off' }])
})
