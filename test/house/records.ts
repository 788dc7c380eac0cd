// One record of every kind that a path can name, of the first team of a test service.
import type { TestService } from '../support/service.ts'

export type Records = {
  /** Puts the ids of the records into a path. */
  fill(path: string): string
  ids: string[]
  /** The records as their team sees them. */
  read(): Promise<unknown[]>
}

/** Fresh records: a call under test may change or remove them. */
export async function createRecords(service: TestService): Promise<Records> {
  const email = await idOf(
    service.call('POST', '/emails', {
      body: {
        from: 'hello@example.com',
        to: 'delivered@simulator.test',
        subject: 'Record',
        text: 'Record.',
        scheduled_at: new Date(Date.now() + 60 * 60 * 1_000).toISOString(),
        attachments: [{ filename: 'record.txt', content: 'cmVjb3Jk' }],
      },
    }),
  )
  const apiKey = await idOf(service.call('POST', '/api-keys', { body: { name: 'Record' } }))
  const attachment = await firstOf(service.call('GET', `/emails/${email}/attachments`))
  await service.service.context.repositories.requestLogs.flush()
  const log = await firstOf(service.call('GET', '/logs?limit=1'))
  const byParameter = new Map([
    ['email_id', email],
    ['api_key_id', apiKey],
    ['attachment_id', attachment],
    ['log_id', log],
  ])

  return {
    ids: [...byParameter.values()],
    fill: (path) =>
      path.replace(/:(\w+)/g, (_match, name: string) => {
        const id = byParameter.get(name)
        if (id === undefined) throw new Error(`No record is made for the parameter ${name}: add one here`)
        return id
      }),
    async read() {
      const answers = [await service.call('GET', `/emails/${email}`), await service.call('GET', '/api-keys')]
      return answers.map(({ body }) => withoutLastUse(body))
    },
  }
}

/** Reading is a use, too. */
const withoutLastUse = (body: unknown): unknown => JSON.parse(JSON.stringify(body, (key, value) => (key === 'last_used_at' ? null : value)))

async function idOf(answer: Promise<{ body: unknown }>): Promise<string> {
  const { body } = await answer
  return (body as { id: string }).id
}

async function firstOf(answer: Promise<{ body: unknown }>): Promise<string> {
  const { body } = await answer
  return (body as { data: { id: string }[] }).data[0]?.id ?? ''
}
