// What uses properties and events, which stands in sections after theirs.
import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import { notFound } from '../../../lib/failure.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import { CONTACT_PROPERTIES, ContactPropertyParams } from '../../audience/properties/properties.schema.ts'
import type { BroadcastsContext } from '../../broadcasts/broadcasts.context.ts'
import type { EventsContext } from '../../events/events.context.ts'
import { EVENTS, EventParams, eventReference } from '../../events/events.schema.ts'
import type { ConsoleContext } from '../console.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { typesFor } from '../search/found-types.ts'
import { propertyUses } from './property-uses.service.ts'
import type { NamedRecord } from './record-uses.repository.ts'
import { RecordUseList, type USES } from './uses.schema.ts'

type Context = AudienceContext & BroadcastsContext & EventsContext & ConsoleContext

type Use = NamedRecord & { use: keyof typeof USES; type: 'segment' | 'broadcast' | 'template' | 'automation' }

const operation = declareOperations(CONSOLE)

export const toRecordUse = ({ use, type, id, name }: Use): Static<typeof RecordUseList>['data'][number] => ({ use, type, id, name })

export const useRoutes: Routes<Context> = async (app, { context }) => {
  const { contactProperties, events, recordUses } = context.repositories

  app.get(
    '/contact-properties/:contact_property_id/uses',
    operation({
      id: 'contact-properties.uses.list',
      summary: 'List the uses of a contact property',
      description:
        'Returns the segments whose filter tests a contact property, the broadcasts that are not sent yet and the templates that show it, and the automations that read or change it.',
      access: 'member',
      scope: 'contact-properties:read',
      audit: 'never',
      params: ContactPropertyParams,
      reply: { 200: RecordUseList },
      example: {
        reply: {
          object: 'list',
          data: [{ use: 'names', type: 'segment', id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c34', name: 'On a plan' }],
        },
      },
    }),
    async ({ caller, teamId, params }) => {
      const property = await contactProperties.find(teamId, params.contact_property_id.toLowerCase())
      if (property === null) throw notFound(CONTACT_PROPERTIES.noun)
      const { segments, broadcasts, templates, automations } = await propertyUses(context, teamId, property)
      return usesFor(caller, [
        ...segments.map((one) => ({ use: 'names' as const, type: 'segment' as const, ...one })),
        ...broadcasts.map((one) => ({ use: 'names' as const, type: 'broadcast' as const, ...one })),
        ...templates.map((one) => ({ use: 'names' as const, type: 'template' as const, ...one })),
        ...automations.map((one) => ({ use: 'names' as const, type: 'automation' as const, ...one })),
      ])
    },
  )

  app.get(
    '/events/:event_id/uses',
    operation({
      id: 'events.uses.list',
      summary: 'List the uses of an event',
      description: 'Returns the automations that an event starts, and those that wait for it.',
      access: 'member',
      scope: 'events:read',
      audit: 'never',
      params: EventParams,
      reply: { 200: RecordUseList },
      example: {
        reply: {
          object: 'list',
          data: [{ use: 'starts', type: 'automation', id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cc1', name: 'Thank for an order' }],
        },
      },
    }),
    async ({ caller, teamId, params }) => {
      const event = await events.find(teamId, eventReference(params.event_id))
      if (event === null) throw notFound(EVENTS.noun)
      const found = await recordUses.automationsWithEvent(teamId, event.name)
      return usesFor(
        caller,
        found.map(({ starts, ...one }) => ({ use: starts ? 'starts' : 'continues', type: 'automation', ...one })),
      )
    },
  )
}

function usesFor(caller: Caller, uses: Use[]) {
  const types: readonly string[] = typesFor(caller)
  return { object: 'list' as const, data: uses.filter(({ type }) => types.includes(type)).map(toRecordUse) }
}
