"""What the wrapping adds to ITK's: fields, sequences, functions of Python, exceptions, and Python's lock."""

import subprocess
import sys
import threading
import time

import itk
import numpy as np
import pytest


def make_view(columns=64, rows=48):
    view = itk.RadiographGeometry.New()
    arm = itk.RadiographGeometry.CArm(sourceIsocenterDistance=700.0, sourceDetectorDistance=1100.0)
    view.SetCArm(arm, itk.RadiographGeometry.DetectorGrid(columns=columns, rows=rows, columnSpacing=4.0, rowSpacing=4.0))
    return view


def make_volume(size=20, mu=0.02):
    volume = itk.image_from_array(np.full((size, size + 1, size + 2), mu, np.float32))
    volume.SetOrigin([-0.5 * (size + 1), -0.5 * size, -0.5 * (size - 1)])
    return volume


def test_records_are_values():
    arm = itk.RadiographGeometry.CArm(primaryAngle=0.25, isocenter=[1.0, 2.0, 3.0])
    assert arm.primaryAngle == 0.25
    assert list(arm.isocenter) == [1.0, 2.0, 3.0]
    point = arm.isocenter
    point[0] = 7.0
    assert arm.isocenter[0] == 1.0
    assert "primaryAngle=0.25" in repr(arm)
    with pytest.raises(AttributeError, match="primaryAngel.*secondaryAngle"):
        arm.primaryAngel = 1.0
    with pytest.raises(AttributeError, match="primaryAngel"):
        itk.RadiographGeometry.CArm(primaryAngel=1.0)


def test_records_outlive_what_they_came_from():
    parameters = itk.HounsfieldAttenuationModel(itk.HounsfieldAttenuationParameters(energy=70.0)).GetParameters()
    assert parameters.energy == 70.0


def test_optional_numbers_are_none_or_floats():
    parameters = itk.HounsfieldAttenuationParameters()
    assert parameters.waterAttenuation is None
    parameters.waterAttenuation = 0.02
    assert parameters.waterAttenuation == 0.02
    parameters.waterAttenuation = None
    assert parameters.waterAttenuation is None
    with pytest.raises(TypeError):
        parameters.waterAttenuation = "much"


def test_sequences_of_records_are_tuples():
    problem = itk.DICOMProblem(code="gap", files=["a", "b"])
    series = itk.DICOMSeriesInfo(problems=[problem, problem])
    assert [found.code for found in series.problems] == ["gap", "gap"]
    assert series.problems[1].files == ("a", "b")
    series.problems = ()
    assert series.problems == ()
    with pytest.raises(TypeError, match="itkDICOMProblem"):
        series.problems = ["gap"]


def test_snake_case_functions_take_keywords():
    depths = itk.digitally_reconstructed_radiograph_image_filter(make_volume(), geometry=make_view())
    counts = itk.transmission_image_filter(
        depths, open_beam_counts=1000.0, compute_transmission=False, compute_counts=True
    )[1]
    expected = 1000.0 * np.exp(-np.asarray(depths, dtype=np.float64))
    np.testing.assert_allclose(np.asarray(counts), expected, rtol=1e-6)


def test_exceptions_of_the_library_tell_their_message():
    with pytest.raises(RuntimeError, match="Input Geometry is required"):
        itk.DigitallyReconstructedRadiographImageFilter.New(make_volume()).Update()
    with pytest.raises(RuntimeError, match="[Hh]ounsfield"):
        itk.digitally_reconstructed_radiograph_image_filter(make_volume(mu=-1000.0), geometry=make_view())


def test_derivatives_of_a_pixel_become_an_array_of_six():
    jacobian = itk.radiograph_pose_jacobian_image_filter(make_volume(), geometry=make_view(16, 12))
    array = itk.array_from_image(jacobian)
    assert array.shape == (1, 12, 16, 6)
    assert array.dtype == np.float32
    assert np.isfinite(array).all() and np.any(array != 0.0)


def test_labels_of_numpy_are_taken():
    volume = make_volume(4)
    labels = itk.image_view_from_array(np.arange(4 * 5 * 6, dtype=np.int64).reshape(4, 5, 6) % 3, ttype=itk.Image[itk.SL, 3])
    labels.CopyInformation(volume)
    kept = itk.radiograph_mask_label_image_filter(volume, label_image=labels, labels=[1])
    assert np.count_nonzero(np.asarray(kept)) == 40


def test_affine_gradient_has_twelve_numbers():
    calculator = itk.RadiographSensitivityCalculator.New()
    score = itk.digitally_reconstructed_radiograph_image_filter(make_volume(), geometry=make_view(8, 8))
    calculator.SetImage(make_volume())
    calculator.SetGeometry(make_view(8, 8))
    calculator.SetTransform(itk.Euler3DTransform[itk.D].New())
    calculator.SetScore(score)
    calculator.Compute()
    assert calculator.GetAffineGradient().size() == 12
    assert len(calculator.GetParameterGradient()) == 6


def test_derivative_checker_calls_functions_of_python():
    checker = itk.DerivativeChecker()
    sweep = checker.CheckScalar(lambda x: x * x, 3.0, 6.0)
    assert sweep.Passed() and sweep.records[0].decisive in (True, False)
    assert not checker.CheckScalar(lambda x: x * x, 3.0, 6.1).Passed()
    assert checker.CheckGradient(lambda x: x[0] ** 2 + 3.0 * x[1], [2.0, 1.0], [4.0, 3.0]).Passed()
    assert checker.CheckAdjoint(lambda x: [2.0 * x[0], x[0] * x[1]], [2.0, 3.0], [1.0, 1.0], [5.0, 2.0]).Passed()
    image = make_volume(3)
    twice = itk.image_from_array(2.0 * np.asarray(image))
    twice.CopyInformation(image)
    ones = itk.image_from_array(np.ones_like(np.asarray(image)))
    ones.CopyInformation(image)
    twos = itk.image_from_array(2.0 * np.asarray(ones))
    twos.CopyInformation(image)

    def double(x):
        made = itk.image_from_array(2.0 * np.asarray(x))
        made.CopyInformation(x)
        return made

    assert checker.CheckImageAdjoint(double, image, ones, twos).Passed()


def test_exceptions_of_python_pass_through_the_library():
    def fail(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        itk.DerivativeChecker().CheckScalar(fail, 1.0, 1.0)
    with pytest.raises(TypeError):
        itk.DerivativeChecker().CheckScalar(lambda x: "two", 1.0, 1.0)
    with pytest.raises(TypeError, match="function"):
        itk.DerivativeChecker().CheckScalar(3.0, 1.0, 1.0)


def steps_of_another_thread_during(compute):
    """How often a thread that wakes every half millisecond gets Python's lock: at most once or twice if C++ holds it."""
    counted, go = [0], [True]

    def count():
        while go[0]:
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        compute()
        return counted[0] - before
    finally:
        go[0] = False
        thread.join()


def make_metric():
    metric = itk.PoissonRadiographToVolumeMetricv4.New()
    view = make_view(1500, 1500)
    counts = itk.image_from_array(np.full((1, 1500, 1500), 500.0, np.float32))
    counts.CopyInformation(view.MakeDetectorImage())
    metric.SetFixedImage(counts)
    metric.SetMovingImage(make_volume(40))
    metric.SetGeometry(view)
    metric.SetOpenBeamCounts(1000.0)
    metric.SetMovingTransform(itk.Euler3DTransform[itk.D].New())
    metric.SetProjector(itk.DigitallyReconstructedRadiographImageFilterEnums.Projector_CellGauss)
    metric.Initialize()
    return metric


@pytest.mark.parametrize("how", ["Update", "UpdateLargestPossibleRegion", "function", "metric"])
def test_other_threads_run_while_the_library_computes(how):
    volume, view = make_volume(40), make_view(1500, 1500)
    projector = itk.DigitallyReconstructedRadiographImageFilterEnums.Projector_CellGauss
    if how == "function":
        assert steps_of_another_thread_during(
            lambda: itk.digitally_reconstructed_radiograph_image_filter(volume, geometry=view, projector=projector)
        ) > 3
    elif how == "metric":
        assert steps_of_another_thread_during(make_metric().GetValue) > 3
    else:
        drr = itk.DigitallyReconstructedRadiographImageFilter.New(volume, geometry=view, projector=projector)
        assert steps_of_another_thread_during(getattr(drr, how)) > 3


def test_works_after_filters_of_itk_have_chosen_their_threads():
    code = (
        "import itk, numpy; itk.median_image_filter(itk.image_from_array(numpy.zeros((3, 4, 5), numpy.float32)));"
        "drr = itk.DigitallyReconstructedRadiographImageFilter.New(); print(drr.GetMultiThreader().GetNameOfClass());"
        "print(itk.MultiThreaderBase.New().GetNameOfClass())"
    )
    names = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert names[0] in ("PoolMultiThreader", "TBBMultiThreader")
    if names[1] == "TBBMultiThreader":
        assert names[0] == "PoolMultiThreader"


def test_works_beside_rtk():
    pytest.importorskip("itk.RTKPython")
    code = (
        "import itk; itk.RTK; geometry = itk.RTK.ThreeDCircularProjectionGeometry.New();"
        "view = itk.RadiographGeometry.New(); print(type(geometry).__name__, view.GetNameOfClass())"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert out.split() == ["rtkThreeDCircularProjectionGeometry", "RadiographGeometry"]
