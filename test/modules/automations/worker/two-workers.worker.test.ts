// Two workers on one database: each event is told once, and each run acts once, whichever of them gets it.
import { expect, it } from 'vitest'
import { takeLease } from '../../../../src/db/leases/lease.ts'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { startRunningAutomations } from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import { addAutomation, graphOf, leftRows, NOTHING_LEFT, runsOf } from '../../../support/builders/automations.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { LONG_LEASE } from '../../../support/clocks/lease-times.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const CONTACTS = 400
const service = shared(() => startTestService())

it('act once in each of the runs of which both look for work', async () => {
  const template = await publishedTemplate(service)
  const join: Step = { key: 'join', type: 'add_to_segment', config: { segment_id: await addSegment(service) } }
  const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: template } } }
  const id = await addAutomation(service, graphOf([mail, join]))
  await service.database.execute(
    `insert into automation_occurrences (id, team_id, name, email, payload, created_at)
     select uuidv7(), $1, 'signed.up', 'both' || n || '@example.org', '{}', now() from generate_series(1, ${CONTACTS}) n`,
    [service.teamId],
  )
  const { context } = service.service
  const leases = [await takeLease(context, LONG_LEASE), await takeLease(context, LONG_LEASE)]
  const runners = leases.map((lease) => startRunningAutomations(context, lease, { lookEveryMs: 10 }))
  try {
    await until(async () => {
      const runs = await runsOf(service, id)
      expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(CONTACTS)
    })
  } finally {
    for (const runner of runners) await runner.stop()
    for (const lease of leases) await lease.leave()
  }
  const [counts] = await service.database.execute(
    `select (select count(*)::int from automation_runs) as runs, (select count(distinct contact_id)::int from automation_runs) as contacts,
       (select count(*)::int from emails) as emails, (select count(distinct "to")::int from emails) as addresses,
       (select count(*)::int from contact_segments) as members, (select count(*)::int from notifications where type = 'contact.updated') as changes`,
  )
  const each = CONTACTS
  expect(counts).toEqual({ runs: each, contacts: each, emails: each, addresses: each, members: each, changes: each })
  expect(await leftRows(service)).toEqual(NOTHING_LEFT)
})
