import { Type } from '@sinclair/typebox'
import { Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import {
  EXAMPLE_TIME,
  Id,
  Kind,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { IMAGES } from '../../images/images.schema.ts'
import { teamName } from './teams.schema.ts'

const color = {
  description:
    'Color of the team on its public pages, and what `{{{TEAM_COLOR}}}` stands for. Text on it is black or white, whichever is easier to read.',
  examples: ['#1d4fc4'],
}

export const TeamSettings = Named(
  'TeamSettings',
  Type.Object(
    {
      object: Kind('team'),
      id: Id('Id of the team.'),
      name: Type.String({ description: 'Name of the team.', examples: ['Acme'] }),
      color: Nullable(Type.String(color), { description: `${color.description} Null: it has none.` }),
      logo_id: Nullable(Id('Id of the image that is the logo of the team.')),
      logo_url: Nullable(Type.String({ examples: [IMAGES.example.url] }), {
        description: 'Where the logo is shown, which `{{{TEAM_LOGO_URL}}}` stands for; null if there is none, or it was taken down.',
      }),
      receiving_domains: Type.Array(Type.String({ examples: ['example.com'] }), {
        description: 'Domains whose mail the team receives: whatever is sent to an address of them is one of its received emails.',
      }),
      created_at: Timestamp('When the team was created.'),
    },
    { description: 'The team of a key, and how it shows itself.' },
  ),
)

export const TeamSettingsUpdate = Named(
  'TeamSettingsUpdate',
  Type.Object(
    {
      name: OptionalNotNull(teamName),
      color: OptionalNullable(
        Type.String({
          pattern: '^#[0-9A-Fa-f]{6}$',
          'x-rule': 'must be a color of the form `#rrggbb`',
          ...color,
          description: `${color.description} Null: it has none.`,
        }),
      ),
      logo_id: OptionalNullable(Type.String({ format: 'uuid' }), {
        description: 'Id of one of your images, which becomes the logo on the public pages of the team. Null: it has none.',
      }),
    },
    { description: 'Fields of the team to change. Fields that are left out stay as they are.' },
  ),
)

export const TEAM = Resource({
  tag: SECTIONS.team,
  noun: 'Team',
  parameter: 'own_team_id',
  item: TeamSettings,
  example: {
    object: 'team',
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c61',
    name: 'Acme',
    color: '#1d4fc4',
    logo_id: IMAGES.example.id,
    logo_url: IMAGES.example.url,
    receiving_domains: ['example.com'],
    created_at: EXAMPLE_TIME,
  },
})
