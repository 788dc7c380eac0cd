// What every form in a dialog needs: whether it is open, its values, and the act that sends them.
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { type Act, useAct } from '../api/acts'
import { useCommand } from '../shell/address'
import { usePageKeys } from '../shell/page-keys'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

type DialogFormOptions<Values extends Record<string, unknown>, Output> = Omit<Act<Values, Output>, 'isSilent' | 'run'> & {
  /** `before`: as it was when it was opened. */
  run: (values: Values, before: Values) => Promise<Output>
  /** It begins with them whenever it is opened: a record may have changed meanwhile. */
  initialValues: NoInfer<Values>
  validate?: NonNullable<UseFormInput<NoInfer<Values>>['validate']>
  /** What makes a record: a form that was closed half-written still has what was typed when it is opened again. */
  keepsTyped?: boolean
  /** It shows what came of it, in place of being closed. */
  staysOpen?: boolean
  /** The words by which an address opens it, which no other page has: `?do=create-topic`. */
  command?: string
}

export type DialogForm<Values extends Record<string, unknown>, Output> = {
  form: UseFormReturnType<Values>
  isOpen: boolean
  open: () => void
  close: () => void
  /** What came of it last. */
  output: Output | undefined
  /** The props of the `FormDialog`. */
  dialog: {
    isOpen: boolean
    onClose: () => void
    form: UseFormReturnType<Values>
    onSubmit: (values: Values) => void
    error: Error | null
    isBusy: boolean
  }
}

/** `<FormDialog title={...} {...create.dialog}>`. It stays open, with what was typed, until the API has accepted it. */
export function useDialogForm<Values extends Record<string, unknown>, Output = unknown>({
  initialValues,
  validate,
  keepsTyped = false,
  staysOpen = false,
  command,
  run,
  onDone,
  ...act
}: DialogFormOptions<Values, Output>): DialogForm<Values, Output> {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues, ...(validate && { validate }) })
  const send = useAct<Values, Output>({
    ...act,
    run: (values) => run(values, form.getInitialValues()),
    isSilent: true,
    onDone: (output, values) => {
      if (staysOpen) form.resetDirty()
      else {
        dialog.close()
        form.reset()
      }
      onDone?.(output, values)
    },
  })
  const open = () => {
    if (!keepsTyped || !form.isDirty()) {
      form.setInitialValues(initialValues)
      form.reset()
    }
    send.reset()
    dialog.open()
  }
  useCommand(command, open)
  usePageKeys(command === undefined ? [] : [{ keys: 'n', what: TEXTS.keyNew, act: open }])
  return {
    ...{ form, isOpen, open, close: dialog.close, output: send.data },
    dialog: { isOpen, onClose: dialog.close, form, onSubmit: send.mutate, error: send.error, isBusy: send.isPending },
  }
}
