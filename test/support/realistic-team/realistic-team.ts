// A team as it looks after ninety days of work, for pictures of the console and for looking around by hand: an online shop with its customers, its
// mail and its mistakes. It takes the clock of its process, so only one is made in a process, and no test is beside it.

import { partitionedTables } from '../../../src/db/partitions/daily-partitions.ts'
import { maintainPartitions } from '../../../src/db/partitions/partitions.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { joinWaiting } from '../../../src/modules/audit/chain.service.ts'
import { addUpCounts } from '../../../src/modules/metrics/metrics.worker.ts'
import { seededRandom } from '../builders/engine.ts'
import type { DnsServer } from '../servers/dns-server.ts'
import type { TestService } from '../servers/service.ts'
import { fillAudience } from './audience.ts'
import { fillAutomations } from './automations.ts'
import { fillBroadcasts } from './broadcasts.ts'
import { addWebhooks, allowProgram, makeMistakes, nameKeys, settleWebhooks } from './developers.ts'
import { fillDomains } from './domains.ts'
import { fillEmails } from './emails.ts'
import { moveTo, returnToPresent } from './past.ts'
import { fillPeople, inviteOthers, saveViews } from './people.ts'
import { fillReceived } from './received.ts'
import { ago, DAYS, OWNER, type Team } from './team.ts'
import { fillTemplates, storeImages } from './templates.ts'

const SEED = 20_261_120

/** The service has been started at `beginning`. Returns the team, whose `ids` name what was made. */
export async function fillRealisticTeam(
  service: TestService,
  dns: Pick<DnsServer, 'zone'>,
  now: Date,
  say = (_step: string) => {},
): Promise<Team> {
  const team: Team = { service, now, random: seededRandom(SEED), ids: {} }
  for (let day = 0; day < DAYS + 2; day += 8)
    await maintainPartitions(service.database.pool, { tables: partitionedTables, now: ago(team, { days: day }), retentionDays: null })
  say('days')
  await fillPeople(team)
  await fillDomains(team, dns)
  await nameKeys(team)
  say('people, domains')
  const customers = await fillAudience(team)
  await fillTemplates(team)
  await storeImages(team)
  await addWebhooks(team)
  say('audience, templates')
  await fillEmails(team, customers)
  say('emails')
  await fillBroadcasts(team)
  say('broadcasts')
  await fillAutomations(team, customers)
  say('automations')
  await fillReceived(team)
  await makeMistakes(team)
  await allowProgram(team, team.ids[OWNER] ?? '')
  await inviteOthers(team)
  await saveViews(team)
  await settleWebhooks(team)
  say('received mail, mistakes')
  returnToPresent()
  await service.database.execute('delete from sessions')
  await service.database.execute('delete from installation_mails')
  while (await addUpCounts(service.service.context));
  while ((await joinWaiting(service.service.context)).joined > 0);
  return team
}

/** When the team was made. Call it before the service is started. */
export function moveToBeginning(now: Date): void {
  moveTo(new Date(now.getTime() - DAYS * DAY_MS))
}
