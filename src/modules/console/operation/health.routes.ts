// How the installation is, for operators: its parts, workers, disk, versions, partitions, and what makes mail arrive.
import packageJson from '../../../../package.json' with { type: 'json' }
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { EXAMPLE_TIME } from '../../../lib/validation/common.schema.ts'
import type { DeliverabilityContext } from '../../deliverability/deliverability.context.ts'
import type { DeliveryContext } from '../../delivery/delivery.context.ts'
import { Deliverability, Health, OPERATION } from './operation.schema.ts'

type Context = PlatformContext & DeliveryContext & DeliverabilityContext

const operation = declareOperations(OPERATION)

export const healthOperationRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, gateways, readiness, deliverability } = context
  const { databaseFacts, queueView, workerLeases } = repositories

  app.get(
    '/operation/health',
    operation({
      id: 'operation.health.retrieve',
      summary: 'Retrieve the health',
      description: 'Returns how the installation is, as this process sees it.',
      access: 'operator',
      audit: 'never',
      reply: { 200: Health },
      example: {
        reply: {
          ...{ object: 'health', is_ready: true, checks: { database: 'ok' }, free_bytes: 50_000_000_000 },
          ...{ versions: { posthaste: '0.1.0', node: '24.21.0', postgresql: '18.0' }, workers: [], partitions: [] },
        },
      },
    }),
    async () => {
      const [{ isReady, checks }, workers, leases, freeBytes, postgresql, partitions] = await Promise.all([
        readiness(),
        workerLeases.list(),
        queueView.leasesAcrossTeams(),
        gateways.diskSpace.freeBytes().catch(() => null),
        databaseFacts.version(),
        databaseFacts.partitions(),
      ])
      const held = new Map(leases.map(({ workerId, count }) => [workerId, count]))
      return {
        ...{ object: 'health' as const, is_ready: isReady, checks, free_bytes: freeBytes },
        versions: { posthaste: packageJson.version, node: process.versions.node, postgresql },
        workers: workers.map(({ id, beat }) => ({ id, beats: Number(beat), deliveries: held.get(id) ?? 0 })),
        partitions: partitions.map(({ count, ...partition }) => ({ ...partition, days: count })),
      }
    },
  )

  app.get(
    '/operation/deliverability',
    operation({
      id: 'operation.deliverability.retrieve',
      summary: 'Retrieve the deliverability',
      description: 'Returns what makes mail of the installation arrive, check by check.',
      access: 'operator',
      audit: 'never',
      reply: { 200: Deliverability },
      example: { reply: { object: 'deliverability', status: 'ok', checked_at: EXAMPLE_TIME, note: null, findings: [] } },
    }),
    async () => {
      const { checkedAt, findings, ...report } = await deliverability()
      return {
        ...{ object: 'deliverability' as const, ...report, checked_at: toTimestamp(checkedAt) },
        findings: findings.map(({ check, subject, state, found, advice }) => ({ check, subject, state, found, advice })),
      }
    },
  )
}
