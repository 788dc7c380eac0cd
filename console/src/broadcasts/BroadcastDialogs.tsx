import { TextInput } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'

type DialogProps = { broadcast: { id: string; name: string }; isOpen: boolean; onClose: () => void }

const NAME_LENGTH_MAX = 70

export function RenameDialog({ broadcast, onClose }: Omit<DialogProps, 'isOpen'>) {
  const rename = useDialogForm({
    initialValues: { name: broadcast.name },
    run: ({ name }: { name: string }) =>
      answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path: { broadcast_id: broadcast.id } }, body: { name } })),
    done: TEXTS.renamed,
    changes: ['broadcasts'],
    onDone: onClose,
  })
  return (
    <FormDialog title={TEXTS.rename} {...rename.dialog} isOpen onClose={onClose}>
      <TextInput label={TEXTS.name} required maxLength={NAME_LENGTH_MAX} data-autofocus {...rename.form.getInputProps('name')} />
    </FormDialog>
  )
}

export function DeleteDialog({ broadcast, isOpen, onClose }: DialogProps) {
  const go = useGo()
  const remove = useAct({
    run: () => answer(api.DELETE('/broadcasts/{broadcast_id}', { params: { path: { broadcast_id: broadcast.id } } })),
    done: TEXTS.removed,
    changes: ['broadcasts'],
    onDone: () => go('/broadcasts'),
  })
  return (
    <ConfirmDialog
      title={TEXTS.remove}
      question={TEXTS.removeQuestion}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    />
  )
}
