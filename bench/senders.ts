import { email } from './email.ts'
import { generateLoad } from './load.ts'
import { createDatabase, dropDatabase, environmentOf, type Place, query, type Service, startService } from './place.ts'
import { addSendingDomain } from './sending-domain.ts'
import { atLeast, mean, perSecond, type Row } from './table.ts'

const CONNECTIONS = 50
const SECONDS = { warmUp: 4, measured: 5 }
const QUICK_SECONDS = { warmUp: 1, measured: 1 }
const ROUNDS = 6
const QUICK_ROUNDS = 1
/** The look-up costs less than 3 %. */
const RATIO_MIN = 0.97

/** POST /emails of a verified domain, in turns with a service that lets everyone send. */
export async function measureSenders(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_senders')
  const environment = { ...environmentOf(place, databaseUrl), ROLES: 'api' }
  const { warmUp, measured } = place.isQuick ? QUICK_SECONDS : SECONDS
  const services = [
    await startService({ ...environment, SENDER_POLICY: 'any' }),
    await startService({ ...environment, SENDER_POLICY: 'verified' }),
  ] as const
  await addSendingDomain((sql, values) => query(databaseUrl, sql, values))

  const rateOf = async ({ url }: Service, seconds: number) =>
    (await generateLoad({ url: `${url}/emails`, connections: CONNECTIONS, body: email(0), seconds })).perSecond
  for (const service of services) await rateOf(service, warmUp)
  const ratios: number[] = []
  const rates: [number[], number[]] = [[], []]
  for (let round = 0; round < (place.isQuick ? QUICK_ROUNDS : ROUNDS); round += 1) {
    const [any, verified] = [await rateOf(services[0], measured), await rateOf(services[1], measured)]
    rates[0].push(any)
    rates[1].push(verified)
    ratios.push(verified / any)
  }
  for (const service of services) await service.stop()
  await dropDatabase(place, 'bench_senders')
  const ratio = mean(ratios)
  return [
    { what: 'senders: POST /emails, SENDER_POLICY=any', result: perSecond(mean(rates[0])) },
    {
      what: 'senders: the same with SENDER_POLICY=verified',
      result: perSecond(mean(rates[1])),
      ratio,
      wanted: atLeast(ratio, RATIO_MIN, `ratio at least ${RATIO_MIN}`),
    },
  ]
}
