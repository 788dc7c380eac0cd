// The log of every operation leads to the records that it was about, at addresses that exist.
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../../src/cli/generated/generated-files.ts'
import { formOf } from '../../house/forms.ts'
import { teamOperations } from '../../house/openapi-document.ts'
import { personToken, signIn, visit } from '../../support/clients/console.ts'
import { recordsOf } from '../../support/records/records.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ADDRESS = '/console/logs'

const ids = new Set(teamOperations(await describeApi()).map(({ operation }) => operation.operationId))
let cookie: string

const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

const read = async (path: string) => visit(service, 'GET', path, { cookie })

/** What the newest log leads to. */
async function aboutOfNewest(): Promise<{ address: string; name: string }[]> {
  await service.service.context.repositories.requestLogs.flush()
  const [, log = ''] = /href="(\/console\/logs\/[0-9a-f-]{36})"/.exec((await read(ADDRESS)).text) ?? []
  const [, about = ''] = /<dt>About<\/dt><dd>([\s\S]*?)<\/dd>/.exec((await read(log)).text) ?? []
  return [...about.matchAll(/<a href="([^"]*)">([^<…]*)/g)].map(([, address = '', name = '']) => ({ address, name: name.trim() }))
}

it('whatever the operation', { timeout: 300_000 }, async () => {
  const records = recordsOf(service)
  const person = await personToken(service)
  const links: Record<string, string> = {}
  const broken: object[] = []
  for (const operation of service.service.app?.operations.filter(({ id }) => ids.has(id)) ?? []) {
    const { path, body } = await records.targetOf(operation)
    const answer = await service.call(operation.method, path, {
      token: operation.byPeople ? person : service.token,
      body: operation.upload && body ? formOf(operation.upload.part, body) : body,
    })
    expect({ operation: operation.id, status: answer.status }).toEqual({
      operation: operation.id,
      status: expect.toSatisfy((status) => status < 300),
    })
    records.changedBy(operation)
    const about = await aboutOfNewest()
    links[operation.id] = [...new Set(about.map(({ name }) => name))].join(', ')
    for (const { address } of about) {
      const { status, text } = await read(address.replaceAll('&amp;', '&'))
      if (status !== 200 || text.includes('No such address')) broken.push({ operation: operation.id, address, status })
    }
  }
  expect(broken).toEqual([])
  expect(links).toMatchObject({
    ...{ 'emails.send': 'email', 'emails.send-batch': 'email', 'emails.attempts.list': 'email', 'emails.metrics.retrieve': '' },
    ...{ 'emails.receiving.retrieve': 'received email', 'emails.receiving.attachments.list': 'received email', 'emails.list': '' },
    ...{ 'contacts.create': 'contact', 'contacts.imports.create': 'import', 'contacts.imports.retrieve': 'import' },
    ...{ 'domains.create': 'domain', 'domains.claims.create': 'domain', 'domains.claims.verify': 'domain', 'domains.delete': '' },
    ...{ 'suppressions.create': 'suppression', 'suppressions.retrieve': 'suppression', 'contact-properties.create': 'property' },
    ...{ 'audiences.create': 'segment', 'webhooks.events.replay': 'webhook', 'automations.runs.list': 'automation' },
    ...{ 'api-keys.create': 'API key', 'events.create': 'event', 'topics.update': 'topic', 'templates.publish': 'template' },
  })
})
