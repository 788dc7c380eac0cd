import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { DeleteDialog, type Deletion } from './DeleteDialog'

/** Deletes a record of a list, in its row. */
export function DeleteButton(deletion: Deletion & { of: string }) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button color="red" variant="subtle" onClick={dialog.open} size="compact-sm" aria-label={`${deletion.name}: ${deletion.of}`}>
        {deletion.name}
      </Button>
      <DeleteDialog {...deletion} isOpen={isOpen} onClose={dialog.close} />
    </>
  )
}
