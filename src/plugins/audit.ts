// Every operation that declares to be audited is performed as an act, whose row is written by the transaction that changes something.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { performAct } from '../db/acts.ts'
import type { PlatformContext } from '../http/platform.context.ts'
import type { AccountsContext } from '../modules/accounts/accounts.context.ts'
import { teamsOfPerson } from '../modules/accounts/people/own-acts.ts'
import { actOf, isAudited } from '../modules/audit/acts.ts'
import type { AuditContext } from '../modules/audit/audit.context.ts'

type Context = PlatformContext & AccountsContext & AuditContext

export function audit(app: FastifyInstance, { clock, repositories }: Context): void {
  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation
    if (!operation || operation.audit === 'never' || route.method === 'HEAD') return
    const { handler } = route
    route.handler = function performed(request, reply) {
      const { actor, holder, signedIn, params } = request
      if (signedIn && operation.access !== 'operator')
        return teamsOfOwnAct(request, signedIn.id).then((teamId) =>
          performAct(actOf(operation, { teamId, actor, params, clock }), () => handler.call(this, request, reply)),
        )
      if (!isAudited(operation, actor)) return handler.call(this, request, reply)
      const act = actOf(operation, { teamId: holder?.teamId ?? teamOf(params), actor, params, clock })
      if (!operation.givesOut) return performAct(act, () => handler.call(this, request, reply))
      return Promise.resolve(handler.call(this, request, reply)).then(async (answer) => {
        await repositories.auditLog.recordRead(act)
        return answer
      })
    }
  })

  /** Whose path the request has; null if it names none, as where the operator makes a team. */
  const teamOf = (params: unknown): string | null => (params as { team_id?: string } | undefined)?.team_id?.toLowerCase() ?? null

  /** What people do for themselves is of all their teams, unless its path names one. A body names none: it may say what it wants of any team. */
  async function teamsOfOwnAct({ params }: Pick<FastifyRequest, 'params'>, personId: string): Promise<string | string[]> {
    return teamOf(params) ?? teamsOfPerson(repositories, personId)
  }
}
