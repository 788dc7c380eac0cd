import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { notFound } from '../../lib/failure.ts'
import { EXAMPLE_TIME } from '../../lib/validation/common.schema.ts'
import { contactOfPath } from '../../mail/address-forms.ts'
import { mayRead } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { CONTACTS, ContactParams } from '../audience/contacts/contacts.schema.ts'
import { ContactDeliverability } from './contact-deliverability.schema.ts'
import { reasonsOf } from './contact-deliverability.ts'
import type { PrivacyContext } from './privacy.context.ts'

type Context = PlatformContext & AudienceContext & PrivacyContext

const operation = declareOperations(CONTACTS)

export const contactDeliverabilityRoutes: Routes<Context> = async (app, { context }) => {
  const { contacts, contactDeliverability } = context.repositories

  app.get(
    '/contacts/:contact_id/deliverability',
    operation({
      id: 'contacts.deliverability.retrieve',
      summary: 'Explain why a person gets no mail',
      description:
        'Returns whether mail is sent to a person and, if not, each reason with what it means, what to do, and the request that ends it. It works for any email address, also one that is not a contact. An access token sees suppressions only with the scope `suppressions:read`; without it, an answer about a suppressed address is the same as about another.',
      access: 'full',
      audit: 'never',
      params: ContactParams,
      reply: { 200: ContactDeliverability },
      example: {
        reply: {
          object: 'contact_deliverability',
          contact_id: CONTACTS.example.id,
          email: CONTACTS.example.email,
          gets_mail: true,
          gets_bulk_mail: false,
          reasons: [
            {
              reason: 'unsubscribed',
              keeps_from: 'bulk_mail',
              topic_id: null,
              topic_name: null,
              since: EXAMPLE_TIME,
              email_id: null,
              explanation: 'The person unsubscribed from all bulk email. Other mail is still sent.',
              advice: 'Subscribe the contact again only if the person asks for it.',
              remedy: {
                operation: 'contacts.update',
                method: 'PATCH',
                path: `/contacts/${CONTACTS.example.id}`,
                body: { unsubscribed: false },
              },
            },
          ],
        },
      },
    }),
    async ({ caller, teamId, params }) => {
      const reference = contactOfPath(params)
      const contact = await contacts.find(teamId, reference)
      const email = contact?.email ?? ('email' in reference ? reference.email : null)
      if (email === null) throw notFound(CONTACTS.noun)
      const standing = await contactDeliverability.ofAddress(teamId, { email, addressHash: context.hashAddress(teamId, email) })
      const suppression = mayRead(caller, 'suppressions') ? standing.suppression : null
      const contactId = contact?.id ?? null
      return {
        object: 'contact_deliverability' as const,
        contact_id: contactId,
        email,
        gets_mail: suppression === null,
        gets_bulk_mail: suppression === null && contactId !== null && !standing.unsubscribed,
        reasons: reasonsOf({ contactId, email }, { ...standing, suppression }),
      }
    },
  )
}
