// Every operation that declares to be audited is performed as an act, whose row is written by the transaction that changes something.
import type { FastifyInstance } from 'fastify'
import { performAct } from '../db/acts.ts'
import type { PlatformContext } from '../http/platform.context.ts'
import { actOf, isAudited, isRead } from '../modules/audit/acts.ts'
import type { AuditContext } from '../modules/audit/audit.context.ts'

type Context = PlatformContext & AuditContext

export function audit(app: FastifyInstance, { clock, repositories }: Context): void {
  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation
    if (!operation || operation.audit === 'never' || route.method === 'HEAD') return
    const { handler } = route
    route.handler = function performed(request, reply) {
      const { actor, holder, params } = request
      if (!isAudited(operation, actor)) return handler.call(this, request, reply)
      const act = actOf(operation, { teamId: holder?.teamId ?? null, actor, params, clock })
      if (!isRead(operation)) return performAct(act, () => handler.call(this, request, reply))
      return Promise.resolve(handler.call(this, request, reply)).then(async (answer) => {
        await repositories.auditLog.recordRead(act)
        return answer
      })
    }
  })
}
