import { type Static, Type } from '@sinclair/typebox'
import { Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import {
  Addresses,
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Ref,
  Reference,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { SUBJECT_LENGTH_MAX } from '../../mail/headers.ts'
import {
  authorship,
  ContentDocument,
  DOCUMENT_GIVEN,
  EXAMPLE_AUTHORSHIP,
  EXPECTED_VERSION_LENGTH_MAX,
  expectedVersion,
  SavedVersion,
} from './content-document.ts'
import { ALIAS_LENGTH_MAX, EXAMPLE_VARIABLE, TemplateVariable, VariableValues, variables } from './template-variables.schema.ts'

/** The limit of a team. */
export const TEMPLATES_MAX = 1_000
export const TEMPLATE_LIMIT = teamLimit(TEMPLATES_MAX, 'templates')
/** How many of the newest versions of each template are kept, and the published one besides. */
export const VERSIONS_KEPT_MAX = 50
export const TEMPLATE_NAME_LENGTH_MAX = 100
/** Mail programs cut a message at a tenth of it. */
export const TEMPLATE_CONTENT_LENGTH_MAX = 1_000_000
/** A sender is a name and an address, and both may have placeholders. */
const FROM_LENGTH_MAX = 998

const name = Name({
  lengthMax: TEMPLATE_NAME_LENGTH_MAX,
  description: `Name: at most ${TEMPLATE_NAME_LENGTH_MAX} characters, at least one of them visible. Recipients do not see it.`,
  examples: ['Order confirmation'],
})
const alias = Type.String({
  minLength: 1,
  maxLength: ALIAS_LENGTH_MAX,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-rule': 'may hold only ASCII letters, digits, hyphens and underscores',
  description: `A name of your own that can be used instead of the id: at most ${ALIAS_LENGTH_MAX} ASCII letters, digits, hyphens and underscores. It is case-sensitive and unique in the team.`,
  examples: ['order-confirmation'],
})
const from = Type.String({
  maxLength: FROM_LENGTH_MAX,
  description: 'Default sender, for emails that do not set one.',
  examples: ['Acme <hello@example.com>'],
})
const subject = Type.String({
  maxLength: SUBJECT_LENGTH_MAX,
  description: 'Default subject, for emails that do not set one. It can have placeholders.',
  examples: ['{{{PRODUCT}}} is on its way'],
})
const replyTo = Addresses('Where replies are sent by default, for emails that do not set it.')
const html = Type.String({
  maxLength: TEMPLATE_CONTENT_LENGTH_MAX,
  description: 'HTML body, with placeholders such as `{{{PRODUCT}}}`.',
  examples: ['<p>Thank you for {{{PRODUCT}}}.</p>'],
})
const text = Type.String({
  maxLength: TEMPLATE_CONTENT_LENGTH_MAX,
  description: 'Plain text body, with placeholders. If there is none, it is made from the HTML of each email.',
  examples: ['Thank you for {{{PRODUCT}}}.'],
})

export const TemplateCreate = Named(
  'TemplateCreate',
  Type.Object(
    {
      name,
      alias: OptionalNullable(alias),
      from: OptionalNullable(from),
      subject: OptionalNullable(subject),
      reply_to: OptionalNullable(replyTo),
      html,
      text: OptionalNullable(text),
      content_document: OptionalNullable(Ref(ContentDocument), { description: DOCUMENT_GIVEN }),
      variables: OptionalNullable(variables),
    },
    { description: 'A template to create.' },
  ),
)

export const TemplateUpdate = Named(
  'TemplateUpdate',
  Type.Object(
    {
      name: OptionalNotNull(name),
      alias: Type.Optional(Nullable(alias, { description: `${alias.description} Null removes it.` })),
      from: Type.Optional(Nullable(from, { description: `${from.description} Null removes it.` })),
      subject: Type.Optional(Nullable(subject, { description: `${subject.description} Null removes it.` })),
      reply_to: Type.Optional(Nullable(replyTo, { description: `${replyTo.description} Null removes it.` })),
      html: OptionalNotNull(html),
      text: Type.Optional(Nullable(text, { description: `${text.description} Null removes it.` })),
      content_document: OptionalNullable(Ref(ContentDocument), { description: DOCUMENT_GIVEN }),
      variables: OptionalNotNull({ ...variables, description: `${variables.description} They replace all existing ones.` }),
      expected_version: expectedVersion('current_version_id'),
      autosave: Type.Optional(
        Type.Boolean({
          description:
            'Whether an editor saves by itself while someone writes. The version that it made last is then replaced, if the same person or key made it within the last hour and it was not published: the history keeps what was saved by intent.',
        }),
      ),
    },
    { description: 'Fields of a template to change. Fields that are left out stay as they are.' },
  ),
)

export const TemplatePublish = Named(
  'TemplatePublish',
  Type.Object(
    {
      expected_version: OptionalNullable(Type.String({ maxLength: EXPECTED_VERSION_LENGTH_MAX }), {
        description:
          'The `current_version_id` of the content that was looked at. If another version is the newest by now, nothing is published: a 409 says whose it is. By default, the newest one is published, whatever it says.',
      }),
    },
    { description: 'Which version of a template to publish.' },
  ),
)

const id = Id('Id of the template.')
const stateFields = {
  name,
  status: Enum(['draft', 'published'], { description: '`draft` until it is published for the first time. A draft cannot be sent.' }),
  published_at: Nullable(Timestamp('When it was last published; null if it never was.')),
  created_at: Timestamp('When the template was created.'),
  updated_at: Timestamp('When it was last changed or published.'),
  alias: Nullable(alias, { description: 'A name of your own that can be used instead of the id; null if unset.' }),
  has_unpublished_versions: Type.Boolean({ description: 'Whether the newest version is not the published one. In lists an extension.' }),
}
const envelopeFields = {
  from: Nullable(from, { description: 'Default sender, for emails that do not set one; null if unset.' }),
  subject: Nullable(subject, { description: 'Default subject, for emails that do not set one; null if unset.' }),
  reply_to: Nullable(
    Type.String({
      description: 'Where replies are sent by default; several addresses are joined by commas. Null if unset.',
      examples: ['help@example.com'],
    }),
  ),
}
const contentFields = {
  ...envelopeFields,
  html,
  text: Nullable(text, { description: 'Plain text body; null if it is made from the HTML.' }),
  content_document: Nullable(Ref(ContentDocument), { description: 'What the editor wrote; null if the HTML was written otherwise.' }),
  variables: Type.Array(Ref(TemplateVariable), { description: 'The variables that the template declares.' }),
}

export const TemplateSummary = Named(
  'TemplateSummary',
  Type.Object({ id, ...stateFields }, { description: 'A template, as lists show it.' }),
)

export const Template = Named(
  'Template',
  Type.Object(
    {
      object: Kind('template'),
      id,
      current_version_id: Id('Id of the newest version, which is shown here.'),
      published_version_id: Nullable(Id('Id of the published version, which is sent; null if none is published.')),
      ...stateFields,
      ...contentFields,
    },
    { description: 'A template, with the content of its newest version.' },
  ),
)

const versionId = Id('Id of the version.')
const versionFields = {
  id: versionId,
  is_published: Type.Boolean({ description: 'Whether this version is the published one, which is sent.' }),
  ...authorship,
  created_at: Timestamp('When the version was made.'),
  published_at: Nullable(Timestamp('When it was last published; null if it never was.')),
}

export const TemplateVersionSummary = Named(
  'TemplateVersionSummary',
  Type.Object({ ...versionFields, ...envelopeFields }, { description: 'A version of a template, as lists show it.' }),
)

export const TemplateVersion = Named(
  'TemplateVersion',
  Type.Object({ object: Kind('template_version'), ...versionFields, ...contentFields }, { description: 'A version of a template.' }),
)

const EXAMPLE_VERSION_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4ca2'

export const TEMPLATES = Resource({
  tag: SECTIONS.templates,
  noun: 'Template',
  parameter: 'template_id',
  item: TemplateSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4ca1',
    name: 'Order confirmation',
    status: 'published',
    published_at: EXAMPLE_TIME,
    created_at: EXAMPLE_TIME,
    updated_at: EXAMPLE_TIME,
    alias: 'order-confirmation',
    has_unpublished_versions: false,
  },
})

const EXAMPLE_ENVELOPE = {
  from: 'Acme <hello@example.com>',
  subject: '{{{PRODUCT}}} is on its way',
  reply_to: null,
}

export const EXAMPLE_CONTENT = {
  ...EXAMPLE_ENVELOPE,
  html: '<p>Thank you for {{{PRODUCT}}}.</p>',
  text: null,
  content_document: null,
  variables: [EXAMPLE_VARIABLE],
}

export const TEMPLATE_VERSIONS = Resource({
  tag: TEMPLATES.tag,
  noun: 'Version',
  parameter: 'version_id',
  item: TemplateVersionSummary,
  example: {
    id: EXAMPLE_VERSION_ID,
    is_published: true,
    ...EXAMPLE_AUTHORSHIP,
    created_at: EXAMPLE_TIME,
    published_at: EXAMPLE_TIME,
    ...EXAMPLE_ENVELOPE,
  },
})

const templateId = Type.String({ description: 'Id or alias of the template.', examples: ['order-confirmation'] })
export const TemplateParams = Type.Object({ template_id: templateId })
export const TemplateVersionParams = Type.Object({ template_id: templateId, version_id: versionId })
export const TemplateList = List('TemplateList', 'templates', TemplateSummary)
export const TemplateVersionList = List('TemplateVersionList', 'versions', TemplateVersionSummary)
export const TemplateReference = Reference('TemplateReference', 'template')
export const TemplateDeletion = Deletion('TemplateDeletion', 'template')

export const TemplateSaved = Named(
  'TemplateSaved',
  Type.Object(
    {
      object: Kind('template'),
      id,
      warnings: Type.Array(Type.String(), {
        description:
          'Placeholders that nothing can fill in, and what only looks like a placeholder, each in a sentence; the first 20, and empty if there are none.',
        examples: [['`{{{contact.plan}}}` names a property that your contacts do not have.']],
      }),
      version: SavedVersion,
    },
    { description: 'The template that was saved, with warnings.' },
  ),
)

export const TemplateRender = Named(
  'TemplateRender',
  Type.Object(
    {
      variables: OptionalNullable(VariableValues),
      version_id: OptionalNullable(Id('Id of the version to fill in. By default, the newest one.')),
    },
    { description: 'Values to fill in.' },
  ),
)

export const TemplateRendered = Named(
  'TemplateRendered',
  Type.Object(
    {
      object: Kind('template'),
      id,
      version_id: versionId,
      subject: Nullable(
        Type.String({ description: 'The subject; null if the template has none.', examples: ['Your order is on its way'] }),
      ),
      html: Type.String({ description: 'The HTML body.', examples: ['<p>Thank you for your order.</p>'] }),
      text: Nullable(Type.String({ description: 'The plain text body; null if it is made from the HTML.' })),
      missing: Type.Array(Type.String(), {
        description: 'Variables that an email would need and that have neither a value nor a fallback. They are left empty.',
        examples: [['PRODUCT']],
      }),
    },
    { description: 'A template that was filled in. No email was sent.' },
  ),
)

export type TemplateCreate = Static<typeof TemplateCreate>
export type TemplateUpdate = Static<typeof TemplateUpdate>
