// The pages that people look at, found among the routes themselves, so that none is forgotten.
import type { FastifyInstance } from 'fastify'
import type { Parameter } from '../support/records/record-builder.ts'

/** The addresses of all routes of the console that answer the method, with their parameters; without styles and scripts, and without the
 * next console, which has tests of its own (test/browser/app). */
export function consoleRoutesOf(app: FastifyInstance, method: 'GET' | 'POST' = 'GET'): string[] {
  const parts: string[] = []
  const routes: string[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^((?:[│ ] {3})*)[├└]── (.*?) \((.*)\)$/.exec(line) ?? []
    if (part === '') continue
    const depth = indent.length / 4
    parts.splice(depth, parts.length, part)
    const path = parts.map((one) => one.replace(/^\//, '')).join('/')
    if (methods.split(', ').includes(method) && /^\/*console(?:\/(?!files\/|next(?:\/|$))|$)/.test(path))
      routes.push(path.replace(/^\/*/, '/'))
  }
  return routes
}

/** A route with the ids of records in it; null if a parameter is no id of a record. */
export function filledRoute(route: string, ids: Map<Parameter, string>): string | null {
  const parts = route.split('/')
  const filled = parts.map((part, at) => {
    if (!part.startsWith(':')) return part
    const parameter = PARAMETERS[part.slice(1)] ?? parameterOf(parts[at - 1] ?? '', ids) ?? (part.slice(1) as Parameter)
    return ids.get(parameter) ?? null
  })
  return filled.includes(null) ? null : filled.join('/')
}

/** What the parameters of pages are called in the API. */
const PARAMETERS: Record<string, Parameter> = {
  runId: 'run_id',
  eventId: 'webhook_event_id',
  receivedId: 'received_email_id',
  version: 'version_id',
}

/** `emails` becomes `email_id`, `imports` `contact_import_id`, and `properties` `contact_property_id`. */
function parameterOf(place: string, ids: Map<Parameter, string>): Parameter | undefined {
  const name = `${place.replaceAll('-', '_').replace(/ies$/, 'y').replace(/s$/, '')}_id`
  return [...ids.keys()].find((parameter) => parameter === name) ?? [...ids.keys()].find((parameter) => parameter.endsWith(`_${name}`))
}
