# The first day on a real Windows: `tracetop selftest`, Windows' own tools, and steps that need a
# person or another account. Everything goes into one zip. It changes nothing that it does not put back.
#
#   powershell -ExecutionPolicy Bypass -File first-day.ps1 [-Tracetop tracetop.exe] [-Out FOLDER] [-Ask]
#
# sessions.cassette in it is what ETW delivered, event by event: the tests play it (tests/README.md).
# Without -Ask only the steps run that need nobody. A step that a tool is missing for says so in its file.
# Run it four times for the rights: as a user, as a member of Performance Log Users, as an administrator
# without elevation, and elevated; with `psexec -s` also as SYSTEM. Each makes a zip of its own.
param(
    [string]$Tracetop = (Join-Path $PSScriptRoot 'tracetop.exe'),
    [string]$Out = (Join-Path ([Environment]::GetFolderPath('MyDocuments')) 'tracetop-first-day'),
    [switch]$Ask
)
$ErrorActionPreference = 'Continue'
$Tracetop = (Resolve-Path $Tracetop).Path
$stamp = Get-Date -Format 'yyyyMMdd-HHmmss'
$here = Join-Path $Out $stamp
New-Item -ItemType Directory -Force -Path $here | Out-Null

# Runs a step; its output, errors and duration go into NAME.txt.
function Step([string]$name, [scriptblock]$what) {
    Write-Host $name
    $began = Get-Date
    $file = Join-Path $here "$name.txt"
    $global:LASTEXITCODE = $null
    try { & $what *>&1 | Out-File -Encoding utf8 $file }
    catch { $_ | Out-File -Encoding utf8 -Append $file }
    "step took {0:n1} s, last exit status: {1}" -f ((Get-Date) - $began).TotalSeconds, $LASTEXITCODE |
        Out-File -Encoding utf8 -Append $file
}

# A step that needs a tool of Windows, the SDK or somebody else.
function StepWith([string]$tool, [string]$name, [scriptblock]$what) {
    if (Get-Command $tool -ErrorAction SilentlyContinue) { Step $name $what }
    else { "skipped: $tool is not installed" | Out-File -Encoding utf8 (Join-Path $here "$name.txt") }
}

# A step for a person: what to do, and what was seen.
function Person([string]$name, [string]$todo) {
    $seen = if ($Ask) { Read-Host "$todo`nWhat happened" } else { 'skipped: needs a person (-Ask)' }
    "$todo`n`n$seen" | Out-File -Encoding utf8 (Join-Path $here "$name.txt")
}

function Sessions { logman query -ets; & $Tracetop sessions }

# ---- the machine, and what the program finds out by itself ----------------------------------------

Step '10-system' { Get-ComputerInfo; whoami /all; logman query -ets; bcdedit /enum '{current}' }
Step '11-doctor' { & $Tracetop doctor }
Step '12-selftest-text' { & $Tracetop selftest }
Step '13-selftest' { & $Tracetop selftest --json -o (Join-Path $here 'selftest.json') --cassette (Join-Path $here 'sessions.cassette') }
Step '14-schema' { & $Tracetop selftest -o (Join-Path $here 'selftest.schema.json') --schema }
Step '15-sessions-after' { Sessions }

# ---- truth: the same scripted load, seen by wpr and by tracetop -------------------------------------

function Load {
    $folder = New-Item -ItemType Directory -Force -Path (Join-Path $env:TEMP "tracetop-load-$PID")
    foreach ($i in 1..200) { Set-Content -Path (Join-Path $folder "$i.txt") -Value ('x' * 4096) }
    foreach ($i in 1..20) { cmd.exe /d /c exit }
    Remove-Item -Recurse -Force $folder
}
$ours = Join-Path $here 'tracetop.etl'
$theirs = Join-Path $here 'wpr.etl'
StepWith 'wpr' '20-both-record' {
    wpr -start GeneralProfile -start FileIO -filemode
    $recorder = Start-Process -PassThru -NoNewWindow $Tracetop -ArgumentList 'record', '-P', 'all', '-t', '20s', '-o', "`"$ours`""
    Start-Sleep 5
    Load
    $recorder.WaitForExit()
    wpr -stop $theirs
}
foreach ($trace in $ours, $theirs) {
    if (-not (Test-Path $trace)) { continue }
    $name = [IO.Path]::GetFileNameWithoutExtension($trace)
    Step "21-$name-tracetop" { & $Tracetop info $trace; & $Tracetop stats $trace; & $Tracetop top files $trace -N 50 }
    StepWith 'tracerpt' "22-$name-tracerpt" { tracerpt $trace -summary (Join-Path $here "$name-summary.txt") -o (Join-Path $here "$name-dump.csv") -of CSV -y; Remove-Item (Join-Path $here "$name-dump.csv") }
    StepWith 'xperf' "23-$name-xperf" { xperf -i $trace -a tracestats; xperf -i $trace -a sysconfig; xperf -i $trace -a process }
    StepWith 'wpaexporter' "24-$name-wpa" { wpaexporter -i $trace -tle -tti }
    StepWith 'PerfView' "25-$name-perfview" { Start-Process -Wait PerfView -ArgumentList "/LogFile:`"$(Join-Path $here "$name-perfview.log")`" /AcceptEula UserCommand DumpEventsAsXml `"$trace`"" }
    Step "26-$name-get-winevent" { Get-WinEvent -Oldest -MaxEvents 100 -Path $trace | Format-List TimeCreated, ProviderName, Id }
}

# ---- life cycle: no session may be left ---------------------------------------------------------------

Step '30-kill' {
    $p = Start-Process -PassThru -WindowStyle Minimized $Tracetop -ArgumentList 'dump', '-q', '-o', "`"$env:TEMP\tracetop-kill-$PID.jsonl`""
    Start-Sleep 3; Sessions
    Stop-Process -Force -Id $p.Id
    Start-Sleep 10; 'after the kill:'; Sessions
    Remove-Item -ErrorAction SilentlyContinue "$env:TEMP\tracetop-kill-$PID.jsonl*"
    & $Tracetop sessions stop --orphans; Sessions
}
Step '31-close' {
    $p = Start-Process -PassThru $Tracetop
    Start-Sleep 5; $p.CloseMainWindow()
    Start-Sleep 10; 'after the window was closed:'; Sessions
}
Person '32-quit' 'Start tracetop, press q. Is the console as before (colors, cursor, quick edit, chcp)?'
Person '33-ctrl-c' 'Start "tracetop dump", press Ctrl-C. How long did it take? Does "logman query -ets" list a session of it?'
Person '34-log-off' 'Start tracetop, log off, log on. Does "logman query -ets" list a session of it?'
Person '35-sleep' 'Start tracetop, let the machine sleep for a minute, wake it. Does it go on, with the right times?'
Person '36-console' 'In the console window and in Windows Terminal: Alt+numpad characters, AltGr, dead keys, an input method, paste, mouse, resize.'
Step '37-sessions-at-the-end' { Sessions }

# ---- one file -------------------------------------------------------------------------------------------

$zip = "$here.zip"
Get-ChildItem $here -Filter *.etl | Where-Object Length -gt 200MB | ForEach-Object { "left out of the zip: $($_.Name), $($_.Length) bytes" | Out-File -Encoding utf8 -Append (Join-Path $here 'left-out.txt') }
Compress-Archive -Force -DestinationPath $zip -Path (Get-ChildItem $here -File | Where-Object { $_.Extension -ne '.etl' -or $_.Length -le 200MB } | ForEach-Object FullName)
Write-Host "report: $zip"
