import {
  BULLET_LIST,
  BUTTON,
  CODE,
  DIVIDER,
  H1,
  H2,
  H3,
  NUMBERED_LIST,
  QUOTE,
  SECTION,
  type SlashCommandItem,
  TEXT,
  THREE_COLUMNS,
  TWO_COLUMNS,
} from '@react-email/editor/ui'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'

/** What the slash offers, by the names of the toolbar; it is found by its English names in HTML too, such as "hr". */
export const SLASH_BLOCKS: SlashCommandItem[] = [
  { ...TEXT, title: TEXTS.paragraph },
  { ...H1, title: TEXTS.heading },
  { ...H2, title: TEXTS.subheading },
  { ...H3, title: TEXTS.smallestHeading },
  { ...BULLET_LIST, title: TEXTS.bullets },
  { ...NUMBERED_LIST, title: TEXTS.numbers },
  { ...QUOTE, title: TEXTS.quote },
  { ...CODE, title: TEXTS.code },
  { ...BUTTON, title: TEXTS.button },
  { ...DIVIDER, title: TEXTS.divider },
  { ...TWO_COLUMNS, title: TEXTS.columns2 },
  { ...THREE_COLUMNS, title: TEXTS.columns3 },
  { ...SECTION, title: TEXTS.section },
]
