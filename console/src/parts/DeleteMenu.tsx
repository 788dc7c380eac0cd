import { useDisclosure } from '@mantine/hooks'
import { DeleteDialog, type Deletion } from './DeleteDialog'
import { type MenuAct, MoreMenu } from './MoreMenu'

type DeleteMenuProps = Deletion & {
  /** Other acts, above it. */
  acts?: readonly MenuAct[]
  isBusy?: boolean
}

/** The menu of a page whose record can be deleted. */
export function DeleteMenu({ acts = [], isBusy = false, ...deletion }: DeleteMenuProps) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <MoreMenu acts={[...acts, { name: deletion.name, onClick: dialog.open, isDestructive: true }]} isBusy={isBusy} />
      <DeleteDialog {...deletion} isOpen={isOpen} onClose={dialog.close} />
    </>
  )
}
