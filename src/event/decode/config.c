/* SystemConfig: the machine, logged once when a kernel session stops. */
#include "src/event/decode/table.h"

static const struct field cpu_v0[] = {
    U32("MHz", 0, 0),
    U32("NumberOfProcessors", 4, 4),
    U32("MemSize", 8, 8),
    U32("PageSize", 12, 12),
    U32("AllocationGranularity", 16, 16),
    WCHARS("ComputerName", 256, 20, 20),
    WCHARS("DomainName", 132, 532, 532),
    POINTER("HyperThreadingFlag", 796, 796),
};

static const struct field cpu_v2[] = {
    U32("MHz", 0, 0),
    U32("NumberOfProcessors", 4, 4),
    U32("MemSize", 8, 8),
    U32("PageSize", 12, 12),
    U32("AllocationGranularity", 16, 16),
    WCHARS("ComputerName", 256, 20, 20),
    WCHARS("DomainName", 134, 532, 532),
    POINTER("HyperThreadingFlag", 800, 800),
};

static const struct field cpu_v3[] = {
    U32("MHz", 0, 0),
    U32("NumberOfProcessors", 4, 4),
    U32("MemSize", 8, 8),
    U32("PageSize", 12, 12),
    U32("AllocationGranularity", 16, 16),
    WCHARS("ComputerName", 256, 20, 20),
    WCHARS("DomainName", 134, 532, 532),
    POINTER("HyperThreadingFlag", 800, 800),
    POINTER("HighestUserAddress", 804, 808),
    U16("ProcessorArchitecture", 808, 816),
    U16("ProcessorLevel", 810, 818),
    U16("ProcessorRevision", 812, 820),
    U8("PaeEnabled", 814, 822),
    U8("NxEnabled", 815, 823),
    U32("MemorySpeed", 816, 824),
};

static const struct field phy_disk_v0[] = {
    U32("DiskNumber", 0, 0),
    U32("BytesPerSector", 4, 4),
    U32("SectorsPerTrack", 8, 8),
    U32("TracksPerCylinder", 12, 12),
    U64("Cylinders", 16, 16),
    U32("SCSIPort", 24, 24),
    U32("SCSIPath", 28, 28),
    U32("SCSITarget", 32, 32),
    U32("SCSILun", 36, 36),
    WCHARS("Manufacturer", 256, 40, 40),
    U32("PartitionCount", 552, 552),
    U8("WriteCacheEnabled", 556, 556),
    U8("Pad", 557, 557),
    WCHARS("BootDriveLetter", 3, 558, 558),
    WCHARS("Spare", 2, 564, 564),
};

static const struct field log_disk_v0[] = {
    U64("StartOffset", 0, 0),
    U64("PartitionSize", 8, 8),
    U32("DiskNumber", 16, 16),
    U32("Size", 20, 20),
    U32("DriveType", 24, 24),
    WCHARS("DriveLetterString", 4, 28, 28),
    U32("Pad1", 36, 36),
    U32("PartitionNumber", 40, 40),
    U32("SectorsPerCluster", 44, 44),
    U32("BytesPerSector", 48, 48),
    U32("Pad2", 52, 52),
    I64("NumberOfFreeClusters", 56, 56),
    I64("TotalNumberOfClusters", 64, 64),
    WCHARS("FileSystem", 16, 72, 72),
    U32("VolumeExt", 104, 104),
};

static const struct field log_disk_v2[] = {
    U64("StartOffset", 0, 0),
    U64("PartitionSize", 8, 8),
    U32("DiskNumber", 16, 16),
    U32("Size", 20, 20),
    U32("DriveType", 24, 24),
    WCHARS("DriveLetterString", 4, 28, 28),
    U32("Pad1", 36, 36),
    U32("PartitionNumber", 40, 40),
    U32("SectorsPerCluster", 44, 44),
    U32("BytesPerSector", 48, 48),
    U32("Pad2", 52, 52),
    I64("NumberOfFreeClusters", 56, 56),
    I64("TotalNumberOfClusters", 64, 64),
    WCHARS("FileSystem", 16, 72, 72),
    U32("VolumeExt", 104, 104),
    U32("Pad3", 108, 108),
};

static const struct field nic_v0[] = {
    WCHARS("NICName", 256, 0, 0),
    U32("Index", 512, 512),
    U32("PhysicalAddrLen", 516, 516),
    WCHARS("PhysicalAddr", 8, 520, 520),
    U32("Size", 536, 536),
    I32("IpAddress", 540, 540),
    I32("SubnetMask", 544, 544),
    I32("DhcpServer", 548, 548),
    I32("Gateway", 552, 552),
    I32("PrimaryWinsServer", 556, 556),
    I32("SecondaryWinsServer", 560, 560),
    I32("DnsServer1", 564, 564),
    I32("DnsServer2", 568, 568),
    I32("DnsServer3", 572, 572),
    I32("DnsServer4", 576, 576),
    U32("Data", 580, 580),
};

static const struct field nic_v2[] = {
    U64("PhysicalAddr", 0, 0),         U32("PhysicalAddrLen", 8, 8),   U32("Ipv4Index", 12, 12),
    U32("Ipv6Index", 16, 16),          WSTR("NICDescription", 20, 20), WSTR("IpAddresses", AFTER),
    WSTR("DnsServerAddresses", AFTER),
};

static const struct field video_v0[] = {
    U32("MemorySize", 0, 0),
    U32("XResolution", 4, 4),
    U32("YResolution", 8, 8),
    U32("BitsPerPixel", 12, 12),
    U32("VRefresh", 16, 16),
    WCHARS("ChipType", 256, 20, 20),
    WCHARS("DACType", 256, 532, 532),
    WCHARS("AdapterString", 256, 1044, 1044),
    WCHARS("BiosString", 256, 1556, 1556),
    WCHARS("DeviceId", 256, 2068, 2068),
    U32("StateFlags", 2580, 2580),
};

static const struct field services_v0[] = {
    WSTR("ServiceName", 0, 0),
    WSTR("DisplayName", AFTER),
    WSTR("ProcessName", AFTER),
    U32("ProcessId", AFTER),
};

static const struct field services_v2[] = {
    U32("ProcessId", 0, 0),      U32("ServiceState", 4, 4),  U32("SubProcessTag", 8, 8),
    WSTR("ServiceName", 12, 12), WSTR("DisplayName", AFTER), WSTR("ProcessName", AFTER),
};

static const struct field services_v3[] = {
    U32("ProcessId", 0, 0),        U32("ServiceState", 4, 4),   U32("SubProcessTag", 8, 8),
    WSTR("ServiceName", 12, 12),   WSTR("DisplayName", AFTER),  WSTR("ProcessName", AFTER),
    WSTR("LoadOrderGroup", AFTER), WSTR("SvchostGroup", AFTER),
};

static const struct field power_v0[] = {
    U8("S1", 0, 0), U8("S2", 1, 1),   U8("S3", 2, 2),   U8("S4", 3, 3),
    U8("S5", 4, 4), U8("Pad1", 5, 5), U8("Pad2", 6, 6), U8("Pad3", 7, 7),
};

static const struct field network_v2[] = {
    U32("TcbTablePartitions", 0, 0),
    U32("MaxHashTableSize", 4, 4),
    U32("MaxUserPort", 8, 8),
    U32("TcpTimedWaitDelay", 12, 12),
};

static const struct field optical_disk_v2[] = {
    U16("DiskNumber", 0, 0),
    U16("BusType", 2, 2),
    U16("DeviceType", 4, 4),
    U16("MediaType", 6, 6),
    U64("StartingOffset", 8, 8),
    U64("Size", 16, 16),
    U64("NumberOfFreeBlocks", 24, 24),
    U64("TotalNumberOfBlocks", 32, 32),
    U64("NextWritableAddress", 40, 40),
    U32("NumberOfSessions", 48, 48),
    U32("NumberOfTracks", 52, 52),
    U32("BytesPerSector", 56, 56),
    U16("DiscStatus", 60, 60),
    U16("LastSessionStatus", 62, 62),
    WSTR("DriveLetter", 64, 64),
    WSTR("FileSystemName", AFTER),
    ASTR("DeviceName", AFTER),
    ASTR("ManufacturerName", AFTER),
};

static const struct field physical_disk_ex_v2[] = {
    U32("DiskNumber", 0, 0),
    U32("Flags", 4, 4),
};

static const struct field irq_v0[] = {
    U64("IRQAffinity", 0, 0),
    I32("IRQNum", 8, 8),
    U32("DeviceDescriptionLen", 12, 12),
    WSTR("DeviceDescription", 16, 16),
};

static const struct field irq_v3[] = {
    U64("IRQAffinity", 0, 0),
    U16("IRQGroup", 8, 8),
    U16("Reserved", 10, 10),
    I32("IRQNum", 12, 12),
    U32("DeviceDescriptionLen", 16, 16),
    WSTR("DeviceDescription", 20, 20),
};

static const struct field pn_p_v0[] = {
    U32("IDLength", 0, 0),    U32("DescriptionLength", 4, 4),   U32("FriendlyNameLength", 8, 8),
    WSTR("DeviceID", 12, 12), WSTR("DeviceDescription", AFTER), WSTR("FriendlyName", AFTER),
};

static const struct field pn_p_v3[] = {
    U32("IDLength", 0, 0),    U32("DescriptionLength", 4, 4),   U32("FriendlyNameLength", 8, 8),
    WSTR("DeviceID", 12, 12), WSTR("DeviceDescription", AFTER), WSTR("FriendlyName", AFTER),
    WSTR("PdoName", AFTER),
};

static const struct field pn_p_v4[] = {
    GUID("ClassGuid", 0, 0),
    U32("UpperFiltersCount", 16, 16),
    U32("LowerFiltersCount", 20, 20),
    WSTR("DeviceID", 24, 24),
    WSTR("DeviceDescription", AFTER),
    WSTR("FriendlyName", AFTER),
    WSTR("PdoName", AFTER),
    WSTR("ServiceName", AFTER),
    COUNTED("UpperFilters", FIELD_WSTR, 1, AFTER),
    COUNTED("LowerFilters", FIELD_WSTR, 2, AFTER),
};

static const struct field pn_p_v5[] = {
    GUID("ClassGuid", 0, 0),
    U32("UpperFiltersCount", 16, 16),
    U32("LowerFiltersCount", 20, 20),
    U32("DevStatus", 24, 24),
    U32("DevProblem", 28, 28),
    WSTR("DeviceID", 32, 32),
    WSTR("DeviceDescription", AFTER),
    WSTR("FriendlyName", AFTER),
    WSTR("PdoName", AFTER),
    WSTR("ServiceName", AFTER),
    COUNTED("UpperFilters", FIELD_WSTR, 1, AFTER),
    COUNTED("LowerFilters", FIELD_WSTR, 2, AFTER),
};

static const struct field idechannel_v2[] = {
    U32("TargetId", 0, 0),
    U32("DeviceType", 4, 4),
    U32("DeviceTimingMode", 8, 8),
    U32("LocationInformationLen", 12, 12),
    WSTR("LocationInformation", 16, 16),
};

static const struct field numa_node_v2[] = {
    U32("NodeCount", 0, 0),
    COLUMN("NodeMap", FIELD_U64, BY(0), 4, 4, 16, 16),
    COLUMN("Group", FIELD_U16, BY(0), 12, 12, 16, 16),
    COLUMN("Reserved1", FIELD_U16, BY(0), 14, 14, 16, 16),
    COLUMN("Reserved2", FIELD_U32, BY(0), 16, 16, 16, 16),
};

static const struct field platform_v2[] = {
    WSTR("SystemManufacturer", 0, 0),
    WSTR("SystemProductName", AFTER),
    WSTR("BiosDate", AFTER),
    WSTR("BiosVersion", AFTER),
};

static const struct field processor_group_v2[] = {
    U32("GroupCount", 0, 0),
    POINTER("Affinity", 4, 4),
};

static const struct field processor_number_v2[] = {
    U32("ProcessorCount", 0, 0),
    COUNTED("ProcessorNumber", FIELD_U32, 0, 4, 4),
};

static const struct field dpi_v2[] = {
    U32("MachineDPI", 0, 0),
    U32("UserDPI", 4, 4),
};

static const struct field code_integrity_v2[] = {
    U32("CodeIntegrityInfo", 0, 0),
};

static const struct field telemetry_configuration_v2[] = {
    GUID("MachineId", 0, 0),
};

static const struct field defragmentation_v2[] = {
    U64("AlignmentClusters", 0, 0),
    U64("AvgFreeSpaceSize", 8, 8),
    U64("ClustersPerSlab", 16, 16),
    U64("FragmentedDirectoryExtents", 24, 24),
    U64("FragmentedExtents", 32, 32),
    U64("FreeSpaceCount", 40, 40),
    U64("LargestFreeSpaceSize", 48, 48),
    U64("LastRunActualPurgeClusters", 56, 56),
    U64("LastRunClustersTrimmed", 64, 64),
    U64("LastRunFullDefragTime", 72, 72),
    U64("LastRunTime", 80, 80),
    U64("MFTSize", 88, 88),
    U64("TotalClusters", 96, 96),
    U64("TotalUsedClusters", 104, 104),
    U32("AvgFragmentsPerFile", 112, 112),
    U32("BytesPerCluster", 116, 116),
    U32("DirectoryCount", 120, 120),
    U32("FragmentedDirectories", 124, 124),
    U32("FragmentedFiles", 128, 128),
    U32("FragmentedSpace", 132, 132),
    U32("HardwareIssue", 136, 136),
    U32("InUseMFTRecords", 140, 140),
    U32("InUseSlabs", 144, 144),
    U32("LastRunActualPurgeSlabs", 148, 148),
    U32("LastRunInitialBackedSlabs", 152, 152),
    U32("LastRunPercentFragmentation", 156, 156),
    U32("LastRunPinnedSlabs", 160, 160),
    U32("LastRunPotentialPurgeSlabs", 164, 164),
    U32("LastRunSpaceInefficientSlabs", 168, 168),
    U32("LastRunTrimmedSlabs", 172, 172),
    U32("LastRunUnknownEvictFailSlabs", 176, 176),
    U32("LastRunVolsnapPinnedSlabs", 180, 180),
    U32("MFTFragmentCount", 184, 184),
    U32("MovableFiles", 188, 188),
    U32("TotalMFTRecords", 192, 192),
    U32("TotalSlabs", 196, 196),
    U32("UnmovableFiles", 200, 200),
    GUID("VolumeId", 204, 204),
    WSTR("VolumePathNames", 220, 220),
};

static const struct field mobile_platform_v2[] = {
    WSTR("BootLoaderVersion", 0, 0),
    WSTR("FirmwareRevision", AFTER),
    WSTR("FriendlyName", AFTER),
    WSTR("HardwareRevision", AFTER),
    WSTR("Manufacturer", AFTER),
    WSTR("ManufacturerDisplayName", AFTER),
    WSTR("ManufacturerModelName", AFTER),
    WSTR("MobileOperatorDisplayName", AFTER),
    WSTR("MobileOperatorName", AFTER),
    WSTR("ModelName", AFTER),
    WSTR("RadioHardwareRevision", AFTER),
    WSTR("RadioSoftwareRevision", AFTER),
    WSTR("ROMVersion", AFTER),
    WSTR("SOCVersion", AFTER),
    WSTR("HardwareVariant", AFTER),
};

static const struct field device_family_v2[] = {
    U64("UAPInfo", 0, 0),
    U32("DeviceFamily", 8, 8),
    U32("DeviceForm", 12, 12),
};

static const struct field flight_ids_v2[] = {
    WSTR("UpdateId", 0, 0),
    WSTR("FlightIdList", AFTER),
};

static const struct field processors_v2[] = {
    U32("ProcessorIndex", 0, 0),
    U32("FeatureSet", 4, 4),
    U32("ProcessorSpeed", 8, 8),
    WCHARS("ProcessorName", 64, 12, 12),
    WCHARS("ProcessorIdentifier", 128, 140, 140),
    WCHARS("VendorIdentifier", 16, 396, 396),
};

static const struct field virtualization_v2[] = {
    U8("VbsEnabled", 0, 0),
    U8("HvciEnabled", 1, 1),
    U8("HypervisorEnabled", 2, 2),
    U8("Reserved", 3, 3),
};

static const struct field boot_v2[] = {
    U64("BootFlags", 0, 0),          U32("FirmwareType", 8, 8), U8("SecureBootEnabled", 12, 12),
    U8("SecureBootCapable", 13, 13), U16("Reserved", 14, 14),
};

static const struct payload_layout cpu[] = {
    LAYOUT(0, cpu_v0),
    LAYOUT(1, cpu_v0),
    LAYOUT(2, cpu_v2),
    LAYOUT(3, cpu_v3),
};

static const struct payload_layout phy_disk[] = {
    LAYOUT(0, phy_disk_v0),
    LAYOUT(1, phy_disk_v0),
    LAYOUT(2, phy_disk_v0),
};

static const struct payload_layout log_disk[] = {
    LAYOUT(0, log_disk_v0),
    LAYOUT(1, log_disk_v0),
    LAYOUT(2, log_disk_v2),
};

static const struct payload_layout nic[] = {
    LAYOUT(0, nic_v0),
    LAYOUT(1, nic_v0),
    LAYOUT(2, nic_v2),
};

static const struct payload_layout video[] = {
    LAYOUT(0, video_v0),
    LAYOUT(1, video_v0),
    LAYOUT(2, video_v0),
};

static const struct payload_layout services[] = {
    LAYOUT(0, services_v0),
    LAYOUT(1, services_v0),
    LAYOUT(2, services_v2),
    LAYOUT(3, services_v3),
};

static const struct payload_layout power[] = {
    LAYOUT(0, power_v0),
    LAYOUT(1, power_v0),
    LAYOUT(2, power_v0),
};

static const struct payload_layout network[] = {
    LAYOUT(2, network_v2),
};

static const struct payload_layout optical_disk[] = {
    LAYOUT(2, optical_disk_v2),
};

static const struct payload_layout physical_disk_ex[] = {
    LAYOUT(2, physical_disk_ex_v2),
};

static const struct payload_layout irq[] = {
    LAYOUT(0, irq_v0),
    LAYOUT(1, irq_v0),
    LAYOUT(2, irq_v0),
    LAYOUT(3, irq_v3),
};

static const struct payload_layout pn_p[] = {
    LAYOUT(0, pn_p_v0), LAYOUT(1, pn_p_v0), LAYOUT(2, pn_p_v0),
    LAYOUT(3, pn_p_v3), LAYOUT(4, pn_p_v4), LAYOUT(5, pn_p_v5),
};

static const struct payload_layout idechannel[] = {
    LAYOUT(2, idechannel_v2),
};

static const struct payload_layout numa_node[] = {
    LAYOUT(2, numa_node_v2),
};

static const struct payload_layout platform[] = {
    LAYOUT(2, platform_v2),
};

static const struct payload_layout processor_group[] = {
    LAYOUT(2, processor_group_v2),
};

static const struct payload_layout processor_number[] = {
    LAYOUT(2, processor_number_v2),
};

static const struct payload_layout dpi[] = {
    LAYOUT(2, dpi_v2),
};

static const struct payload_layout code_integrity[] = {
    LAYOUT(2, code_integrity_v2),
};

static const struct payload_layout telemetry_configuration[] = {
    LAYOUT(2, telemetry_configuration_v2),
};

static const struct payload_layout defragmentation[] = {
    LAYOUT(2, defragmentation_v2),
};

static const struct payload_layout mobile_platform[] = {
    LAYOUT(2, mobile_platform_v2),
};

static const struct payload_layout device_family[] = {
    LAYOUT(2, device_family_v2),
};

static const struct payload_layout flight_ids[] = {
    LAYOUT(2, flight_ids_v2),
};

static const struct payload_layout processors[] = {
    LAYOUT(2, processors_v2),
};

static const struct payload_layout virtualization[] = {
    LAYOUT(2, virtualization_v2),
};

static const struct payload_layout boot[] = {
    LAYOUT(2, boot_v2),
};

static const struct event_type kinds[] = {
    [0x0a] = KIND_AS("CPU", cpu,
                     "{.ComputerName}: {.NumberOfProcessors} processors of {.MHz} MHz, {.MemSize} "
                     "MiB of memory"),
    [0x0b] = KIND_AS("PhyDisk", phy_disk, "disk {.DiskNumber}[: {.Manufacturer}]"),
    [0x0c] = KIND_AS("LogDisk", log_disk,
                     "volume[ {.DriveLetterString}] of disk {.DiskNumber}, "
                     "{.PartitionSize:bytes}[, {.FileSystem}]"),
    [0x0d] = KIND_AS("NIC", nic, "network adapter {.NICDescription|.NICName}[: {.IpAddresses}]"),
    [0x0e] = KIND_AS("Video", video, "graphics {.AdapterString}, {.XResolution} × {.YResolution}"),
    [0x0f] = KIND_AS("Services", services,
                     "service {.ServiceName}[ ({.DisplayName})][, process {.ProcessId:set}]"),
    [0x10] =
        KIND_AS("Power", power, "sleep states: S1 {.S1}, S2 {.S2}, S3 {.S3}, S4 {.S4}, S5 {.S5}"),
    [0x11] =
        KIND_AS("Network", network,
                "TCP: ports up to {.MaxUserPort}, closed ones kept for {.TcpTimedWaitDelay} s"),
    [0x12] = KIND_AS("OpticalDisk", optical_disk, "optical disk[ {.DriveLetter}][ {.DeviceName}]"),
    [0x13] = KIND_AS("PhysicalDiskEx", physical_disk_ex, "disk {.DiskNumber}, flags {.Flags:hex}"),
    [0x15] = KIND_AS("IRQ", irq, "interrupt {.IRQNum}: {.DeviceDescription}"),
    [0x16] =
        KIND_AS("PnP", pn_p,
                "device {.FriendlyName|.DeviceDescription|.DeviceID}[, service {.ServiceName}]"),
    [0x17] = KIND_AS("IDEChannel", idechannel, "IDE channel {.LocationInformation}"),
    [0x18] = KIND_AS("NumaNode", numa_node, "{.NodeCount} NUMA nodes"),
    [0x19] = KIND_AS(
        "Platform", platform,
        "{.SystemManufacturer} {.SystemProductName}[, BIOS {.BiosVersion}][ of {.BiosDate}]"),
    [0x1a] = KIND_AS("ProcessorGroup", processor_group, "{.GroupCount} processor groups"),
    [0x1b] = KIND_AS("ProcessorNumber", processor_number,
                     "{.ProcessorCount} processor[{.ProcessorCount:s}]"),
    [0x1c] = KIND_AS("DPI", dpi, "screen of {.MachineDPI} dpi[, {.UserDPI} for the user]"),
    [0x1d] =
        KIND_AS("CodeIntegrity", code_integrity, "code integrity, flags {.CodeIntegrityInfo:hex}"),
    [0x1e] = KIND_AS("TelemetryConfiguration", telemetry_configuration,
                     "telemetry of machine {.MachineId}"),
    [0x1f] = KIND_AS("Defragmentation", defragmentation,
                     "volume in {.TotalClusters} clusters, {.TotalUsedClusters} in use, "
                     "{.FragmentedExtents} fragmented extents"),
    [0x20] = KIND("MobilePlatform", mobile_platform),
    [0x21] = KIND_AS("DeviceFamily", device_family,
                     "device family {.DeviceFamily:hex}, form {.DeviceForm}"),
    [0x22] =
        KIND_AS("FlightIds", flight_ids, "update {.UpdateId|'none'}[, flights {.FlightIdList}]"),
    [0x23] = KIND_AS("Processors", processors,
                     "processor {.ProcessorIndex}: {.ProcessorName}[, {.ProcessorSpeed} MHz]"),
    [0x24] = KIND_AS("Virtualization", virtualization,
                     "virtualization-based security: {.VbsEnabled}, code integrity by the "
                     "hypervisor: {.HvciEnabled}, hypervisor: {.HypervisorEnabled}"),
    [0x25] = KIND_AS(
        "Boot", boot,
        "firmware {.FirmwareType}, secure boot: {.SecureBootEnabled}[, flags {.BootFlags:set}]"),
};

const struct event_class decode_system_config = {
    .name = "SystemConfig",
    KINDS(kinds),
};
