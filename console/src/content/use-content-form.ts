// A page on which a message is written: its fields with its content, and whether both are saved.
import { type PageFormOptions, type PageFormState, usePageForm } from '../parts/page-form'
import { useGo } from '../shell/address'
import { type Content, type ContentState, useContent } from './content'
import { type Autosave, useAutosave } from './use-autosave'

/** A change of the content is one of the form as well. */
type WithEdits = Record<string, unknown> & { edits: number }

/** What a form with a `ContentEditor` in it needs. */
export type ContentForm<Values extends WithEdits> = { page: PageFormState<Values>; content: ContentState }

type Options<Values extends WithEdits, Output> = Omit<PageFormOptions<Values, Output>, 'run'> & { initialContent: Content }

type ContentFormOptions<Values extends WithEdits, Output> = Options<Values, Output> & {
  save: (values: Values, read: ContentState['read']) => Promise<Output>
}

/** What is written is stored when the form is sent. */
export function useContentForm<Values extends WithEdits, Output>({
  initialContent,
  save,
  ...options
}: ContentFormOptions<Values, Output>): ContentForm<Values> {
  // The form's own type cannot say that it has this field.
  const content = useContent(initialContent, () => page.form.setFieldValue('edits', ((edits: number) => edits + 1) as never))
  const page: PageFormState<Values> = usePageForm({ ...options, run: (values: Values) => save(values, content.read) })
  return { page, content }
}

type AutosavedFormOptions<Values extends WithEdits, Output> = Options<Values, Output> & {
  /** The one that was read first. */
  version: string
  isAutosaved?: boolean
  /** Saves by intent. */
  save: (values: Values, content: Content, expectedVersion: string) => Promise<Output>
  /** Saves by itself, and over the work of a colleague if someone says so: null expects any version. */
  autosave: (values: Values, content: Content, expectedVersion: string | null) => Promise<{ version?: string }>
  /** Stores it as a record of its own, and answers the address of its form. */
  copy: (values: Values, content: Content) => Promise<string>
  /** Fields that are saved by intent only, as they were read. */
  notSaved?: Partial<Values>
}

/** What is written is saved by itself, too. */
export function useAutosavedForm<Values extends WithEdits, Output>({
  version,
  isAutosaved = true,
  save,
  autosave: saveByItself,
  copy,
  notSaved = {},
  ...options
}: AutosavedFormOptions<Values, Output>): ContentForm<Values> & { autosave: Autosave } {
  const go = useGo()
  const { page, content } = useContentForm({
    ...options,
    save: (values: Values, read) => autosave.byIntent(async (expected) => save(values, await read(), expected)),
  })
  const autosave: Autosave = useAutosave({
    form: page.form,
    version,
    isOn: isAutosaved,
    save: async (values, expected) => saveByItself(values, await content.read(), expected),
    saveCopy: async (values) => {
      const address = await copy(values, await content.read())
      page.form.resetDirty()
      go(address)
    },
    changes: options.changes,
    notSaved,
  })
  return { page, content, autosave }
}
