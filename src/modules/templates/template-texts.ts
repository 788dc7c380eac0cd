// What a thread does with long templates.
import type { ReadContent } from '../../mail/rendering/rendering.ts'
import type { TeamValues } from '../../mail/rendering/team-placeholders.ts'
import type { ContactOfText, SourceOfText } from '../../mail/text-tasks.ts'
import type { DeclaredVariable, FilledTemplate } from './filled-template.ts'
import type { VariableValues } from './template-variables.schema.ts'

/** See `fillTemplate`. `subject`: another one than that of the template, or null for none. `ofOthers`: variables whose values come from other people. */
export type TemplateFilling = {
  variables: readonly DeclaredVariable[]
  values: VariableValues
  field: string
  bytesMax?: number
  subject?: string | null
  contact?: ContactOfText
  team?: TeamValues | null
  ofOthers?: ReadonlySet<string>
}

declare module '../../mail/text-tasks.ts' {
  interface TextTasks {
    template: { given: SourceOfText & { filling: TemplateFilling }; result: FilledTemplate | 'too long' }
  }
}

export type TemplateTexts = {
  /**
   * Fills in a template: a short one at once.
   *
   * @param template `content`: null for a long one
   * @returns `too long`, and throws, as `fillTemplate` does
   */
  fillTemplate(
    teamId: string,
    template: SourceOfText & { content: ReadContent | null },
    filling: TemplateFilling,
    options?: { isOfRequest?: boolean },
  ): Promise<FilledTemplate | 'too long'>
}
