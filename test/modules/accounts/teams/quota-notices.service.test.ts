// A limit of emails that is nearly used: its owners get a mail.
import { expect, it } from 'vitest'
import { notifyOfQuota } from '../../../../src/modules/accounts/teams/quota-notices.service.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails } from '../../../support/servers/mailed-links.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock }))
const beside = shared(() => startTestService({ clock, beside: service }))

/** Runs the jobs that accepting has left, as workers do. */
async function runJobs(teamId: string): Promise<void> {
  const jobs = await service.database.execute<{ payload: Parameters<typeof notifyOfQuota>[1] }>(
    `with gone as (
       delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
       where t.id = j.task_id and t.identifier = 'tell-of-quota' and j.payload ->> 'teamId' = $1 returning j.id, j.payload
     ) select payload from gone order by id`,
    [teamId],
  )
  for (const { payload } of jobs) await notifyOfQuota(service.service.context, payload)
}

it('mails each owner at 80 and at 100 percent, once in a period, whichever processes accept', async () => {
  const mails = keepInstallationMails(service.service.context)
  const { teams, teamLimits, persons } = service.service.context.repositories
  const team = await teams.create('Acme')
  for (const [email, role] of [
    ['ada@people.example', 'owner'],
    ['grace@people.example', 'owner'],
    ['support@people.example', 'support'],
  ] as const)
    await persons.addMember(team.id, (await persons.ensureAcrossTeams(email, email)).id, role)
  await teamLimits.setAcrossTeams(team.id, { emails_per_day: 10 })
  const token = await service.createKey(team.id)
  const body = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hello', text: 'Hello.' }
  const send = (index: number) => (index % 2 === 0 ? service : beside).call('POST', '/emails', { token, body })
  const sent = () => mails.all.map(({ to, subject }) => `${to}: ${subject.slice(0, 4).trim()}`).toSorted()
  const twice = ['ada@people.example: 100', 'ada@people.example: 80 %', 'grace@people.example: 100', 'grace@people.example: 80 %']

  await Promise.all(Array.from({ length: 30 }, (_, index) => send(index)))
  // The commit that has used so much leaves the jobs: nothing of them is in a process, whose crash would lose it.
  expect(sent()).toEqual([])
  await runJobs(team.id)
  expect(sent()).toEqual(twice)
  const first = mails.all.find(({ subject }) => subject.startsWith('80'))
  expect(first?.subject).toBe('80 % of the emails of Acme for today are used')
  expect(first?.text).toContain('Acme may send to 10 addresses a day. 80 % of them are used.')

  clock.shift(24 * 60 * 60 * 1_000)
  await Promise.all(Array.from({ length: 12 }, (_, index) => send(index)))
  await runJobs(team.id)
  expect(sent()).toEqual([...twice, ...twice].toSorted())
})
