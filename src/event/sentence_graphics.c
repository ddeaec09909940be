/* What events of Microsoft-Windows-DxgKrnl say in one line. The fields are named as in the
 * layouts of src/event/schema.h. */
#include "src/event/sentence.h"

static const struct sentence_row dxgkrnl[] = {
    {17, "display target {.VidPnTargetId} shows frame {.FrameNumber}"},
    {18, "GPU scheduler begins {.EventId}"},
    {19, "GPU scheduler ended {.EventId}"},
    {20, "GPU context {.hContext:hex}: status {.Status:status}"},
    {22, "preempt GPU context {.hContext:hex}"},
    {23, "GPU node {.NodeOrdinal} runs context {.hContext:hex}"},
    {33, "allocate {.allocSize:bytes} for the GPU"},
    {34, "{.allocSize:bytes} for the GPU allocated"},
    {36, "device {.hDevice:hex} opens GPU allocation {.hVidMmGlobalAlloc:hex}"},
    {37, "device {.hDevice:hex} has opened GPU allocation {.hVidMmGlobalAlloc:hex}"},
    {39, "free GPU allocation {.hVidMmAlloc:hex}"},
    {43, "DMA buffer {.pDmaBuffer:hex} uses {.uiNbAllocations} allocation[{.uiNbAllocations:s}][, "
         "GPU context "
         "{.hContext:set}]"},
    {45, "DMA buffer {.pDmaBuffer:hex}: {.PatchLocationCount} addresses to patch[, GPU context "
         "{.hContext:set}]"},
    {50, "transfer {.size:bytes} of GPU allocation {.hAllocationGlobalHandle:hex}"},
    {55, "discard GPU allocation {.hAllocationGlobalHandle:hex} in segment {.SegmentId}"},
    {67, "reserve memory for GPU allocation {.hAllocationGlobalHandle:hex} in segment "
         "{.SegmentId}"},
    {68, "memory for a GPU allocation reserved: status {.Status:status}"},
    {71, "GPU allocation {.pVidMmGlobalAlloc:hex|.hAllocationHandle:hex} is not in memory[, "
         "{.Reason:name}]"},
    {72, "mark GPU allocation {.hAllocationHandle:hex}"},
    {73, "page in GPU allocation {.hAllocationHandle:hex}"},
    {74, "evict GPU allocation {.hGlobalAllocationHandle:hex}"},
    {94, "sync object {.hSyncObject:hex}: {.Reason}"},
    {103, "thread blocked, reason {.Reason}"},
    {105, "{.Function} begins"},
    {106, "{.Function} ended"},
    {107, "{.Function} begins"},
    {108, "{.Function} ended"},
    {109, "mouse pointer at {.X}, {.Y} on display source {.VidPnSourceId}"},
    {113, "GPU context {.hContext:hex}[: {.QuantumStatus}]"},
    {165, "event of {.EventGuid}, {.BufferSize:bytes}"},
    {166, "blit[ to window {.hwnd:set}][, DMA buffer {.pDmaBuffer:set}]"},
    {167, "blit of {.RectCount} rectangle[{.RectCount:s}][, DMA buffer {.pDmaBuffer:set}]"},
    {169, "render[ DMA buffer {.pDmaBuffer:set}]"},
    {170, "render, DMA buffer {.pDmaBuffer:hex}"},
    {172, "present, token {.Token:hex}[, {.Model:name}]"},
    {173, "presented, token {.Token:hex}[, {.Model:name}]"},
    {175, "DMA packet {.uliSubmissionId} starts on GPU context {.hContext:hex}"},
    {176, "DMA packet {.uliCompletionId} ended on GPU context {.hContext:hex}[, "
          "{.PacketType:name}]"},
    {177, "DMA packet {.uliCompletionId} of GPU context {.hContext:hex}[: {.InterruptType:name}]"},
    {178, "queue packet {.SubmitSequence} for GPU context {.hContext:hex}"},
    {179, "queue packet {.SubmitSequence} for GPU context {.hContext:hex}[, {.PacketType:name}]"},
    {180, "queued packet {.SubmitSequence} of GPU context {.hContext:hex} ended[, "
          "{.PacketType:name}]"},
    {181, "vertical sync of display target {.VidPnTargetId}"},
    {182, "state of device {.hDevice:hex}: {.DeviceState}"},
    {184, "present to window {.hWindow:hex}[, {.Flags:name}]"},
    {205, "power management of GPU component {.ComponentIndex} begins"},
    {206, "power management of GPU component {.ComponentIndex} ended"},
    {207, "power management of GPU component {.ComponentIndex} begins"},
    {208, "power management of GPU component {.ComponentIndex} ended"},
    {209, "power of GPU component {.ComponentIndex}: {.State}"},
    {215, "present in detail, token {.Token:hex}[, {.Model:name}]"},
    {230, "GPU contexts ({.ContextCount}) signal {.ObjectCount} sync object[{.ObjectCount:s}], "
          "fence value "
          "{.FenceValue}"},
    {231, "GPU context {.hContext:hex} waits for fence value {.FenceValue}"},
    {232, "power management of the GPU begins"},
    {233, "power management of the GPU ended"},
    {234, "power management of the GPU"},
    {235, "power management of the GPU"},
    {238, "queue packet {.QueuePacket:hex} of GPU context {.hContext:hex} waits no more"},
    {242, "backing store of GPU allocation {.hGlobalAllocationHandle:hex} reset, {.cPages} "
          "page[{.cPages:s}]"},
    {244,
     "queue packet {.SubmitSequence} for GPU context {.hContext:hex}[, fence value {.FenceValue}]"},
    {245,
     "queue packet {.SubmitSequence} for GPU context {.hContext:hex}[, fence value {.FenceValue}]"},
    {246, "work of GPU context {.hContext:hex}, {.RecordCount} record[{.RecordCount:s}]"},
    {251, "present {.PresentPlaneCount} plane[{.PresentPlaneCount:s}] on display source "
          "{.VidPnSourceId}"},
    {252, "flip layer {.LayerIndex} of display source {.VidPnSourceId}[, allocation "
          "{.hAllocation:set}]"},
    {257, "power of GPU component {.ComponentIndex}: {.State}"},
    {258, "power management of the GPU"},
    {259, "flip layer {.LayerIndex} of display source {.VidPnSourceId} by registers"},
    {262, "GPU node {.NodeOrdinal}: clock {.GpuClock} at {.GpuFrequency} Hz, processor's clock "
          "{.CpuClock}"},
    {273,
     "vertical sync of {.PlaneCount} plane[{.PlaneCount:s}] of display source {.VidPnSourceId}"},
    {274, "GPU segment {.SegmentId}: {.TotalBytesResident:bytes} in use"},
    {277, "release object {.Object:hex} later"},
    {278, "object {.Object:hex} released"},
    {281, "prepare paging, DMA buffer {.pDmaBuffer:hex}"},
    {282, "paging prepared, DMA buffer {.pDmaBuffer:hex}"},
    {288, "GPU allocation of process {.ProcessId}: {.Size:bytes}"},
    {294, "GPU contexts ({.ContextCount}) signal {.ObjectCount} sync object[{.ObjectCount:s}], "
          "fence value "
          "{.MonitoredFenceValue}"},
    {295, "GPU context {.hContext:hex} waits for {.ObjectCount} sync object[{.ObjectCount:s}], "
          "fence value "
          "{.MonitoredFenceValue}"},
    {297,
     "device {.hDevice:hex} waits for {.ObjectCount} sync object[{.ObjectCount:s}], fence value "
     "{.MonitoredFenceValue}"},
    {300, "wait of a processor for {.WaitConditionCount} fence[{.WaitConditionCount:s}] is over"},
    {301, "GPU memory {.StartAddress:hex} to {.EndAddress:hex} is to be recycled"},
    {302, "recycling of GPU memory {.Range:hex}: {.PreviousState:name|.PreviousState} → "
          "{.NewState:name|.NewState}"},
    {303, "recycling of GPU memory {.Range:hex}"},
    {305, "GPU context {.hContext:hex} writes {.uiNbWrittenPrimaries} "
          "surface[{.uiNbWrittenPrimaries:s}], packet "
          "{.SubmitSequence}"},
    {307, "fill {.FillSize:bytes} at {.DestinationVirtualAddress:hex} of GPU memory"},
    {309, "set {.NumPageTableUpdateEntries} entries of the GPU's page table "
          "{.PageTableAddress:hex}"},
    {310, "flush the GPU's address cache, {.StartVirtualAddress:hex} to {.EndVirtualAddress:hex}"},
    {313, "commit system memory for GPU allocation {.hAllocationGlobalHandle:hex}"},
    {314, "release system memory of GPU allocation {.hAllocationGlobalHandle:hex}"},
    {318, "DWM waits for vertical sync {.VsyncCount}, {.VsyncWaiters} waiter[{.VsyncWaiters:s}]"},
    {319, "vertical sync {.VsyncCount} for DWM, {.VsyncWaiters} waiter[{.VsyncWaiters:s}]"},
    {320, "GPU allocation {.pVidMmAlloc:hex} is made resident, count {.ResidencyCount}"},
    {322, "paging packet {.SequenceId} starts[, {.PagingQueueType:name}]"},
    {323, "paging packet {.SequenceId} starts[, {.PagingQueueType:name}]"},
    {324, "paging packet {.SequenceId}, queue {.PagingQueue:hex}"},
    {325, "paging packet {.SequenceId} ended[, {.ExecutionTime100ns:100ns}]"},
    {327, "commit {.VaRangeSize:pages} at {.VaRangeStart:hex} of GPU addresses"},
    {328, "GPU addresses committed, allocation {.VidMmAlloc:hex}"},
    {331, "reserve GPU addresses {.StartAddress:hex} to {.EndAddress:hex}"},
    {332, "GPU addresses {.StartAddress:hex} to {.EndAddress:hex} reserved"},
    {334, "map GPU addresses {.StartAddress:hex} to {.EndAddress:hex}"},
    {338, "make {.NumAllocations} GPU allocation[{.NumAllocations:s}] resident"},
    {339,
     "GPU allocations made resident: status {.Status:status}, fence value {.PagingFenceValue}"},
    {340, "lock GPU allocation {.pAlloc:hex}"},
    {344, "{.Function:name|.Function}"},
    {346, "choose paging packet {.PagingQueuePacket:hex}"},
    {347, "paging tried: status {.Status:status}, pass {.PageInPass}"},
    {359, "GPU scheduler checks condition {.YieldCondition} for a yield"},
    {362, "GPU memory worker wakes, reason {.WakeReason}"},
    {363, "GPU node {.NodeOrdinal}: {.YieldPriorityBand:name|.YieldPriorityBand}, running time "
          "{.RunningTime}"},
    {364, "lock {.PageCount} page[{.PageCount:s}] of GPU allocation {.hVidMmGlobalAlloc:hex}"},
    {365, "unlock the pages of GPU allocation {.hVidMmGlobalAlloc:hex}"},
    {367, "GPU memory of process {.ProcessId}: {.OldUsage:bytes} → {.NewUsage:bytes} in use[, "
          "{.MemorySegmentGroup:name}]"},
    {371, "GPU memory of process {.ProcessId}: {.OldCommitment:bytes} → {.Commitment:bytes} "
          "committed[, {.MemorySegmentGroup:name}]"},
    {373, "GPU allocation {.hVidmmGlobalAlloc:hex} goes from process {.OldOwnerPid} to "
          "{.NewOwnerPid}"},
    {386, "flip planes of display source {.VidPnSourceId} by registers"},
    {435, "GPU addresses {.StartAddress:hex} to {.EndAddress:hex} mapped"},
};

const struct sentence_rows sentence_dxgkrnl = {dxgkrnl, sizeof dxgkrnl / sizeof *dxgkrnl};
